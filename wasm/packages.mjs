// Prints what each Go package adds to a program: the bytes of its functions, raw
// and in brotli. It reads a program that was linked with its names (no -ldflags
// -s). Types, strings and tables of functions stand in the data section, which
// cannot be divided.
// usage: node packages.mjs PROGRAM [ROWS]
import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

const [program, rows = '40'] = process.argv.slice(2);
const bytes = readFileSync(program);
let at = 8; // behind the magic number and the version

/** An unsigned LEB128 number. */
function number() {
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const b = bytes[at++];
    value += (b & 127) * scale;
    if (b < 128) return value;
  }
}

function text() {
  const n = number();
  at += n;
  return bytes.toString('utf8', at - n, at);
}

const SECTION = { custom: 0, imports: 2, code: 10, data: 11 };
const bodies = [];
const names = new Map();
let imported = 0;
let data;

while (at < bytes.length) {
  const id = bytes[at++];
  const length = number();
  const end = at + length;
  if (id === SECTION.imports) imports();
  else if (id === SECTION.code) code();
  else if (id === SECTION.data) data = bytes.subarray(at, end);
  else if (id === SECTION.custom && text() === 'name') functionNames(end);
  at = end;
}

/** Go imports functions only. */
function imports() {
  for (let n = number(); n > 0; n--) {
    text();
    text();
    at++;
    number();
    imported++;
  }
}

function code() {
  for (let n = number(); n > 0; n--) {
    const length = number();
    bodies.push(bytes.subarray(at, at + length));
    at += length;
  }
}

function functionNames(end) {
  while (at < end) {
    const kind = bytes[at++];
    const stop = number() + at;
    if (kind === 1) for (let n = number(); n > 0; n--) names.set(number(), text());
    at = stop;
  }
}

/** The linker writes package paths with _ for /, before the first dot of the name. */
function packageOf(name) {
  if (!name) return '(no name)';
  if (name.startsWith('type_.')) return '(equality of types)';
  return name.replace('mvdan.cc_', 'mvdan_cc_').split('.')[0].replace('mvdan_cc_', 'mvdan.cc_');
}

const packages = new Map();
bodies.forEach((body, i) => {
  const name = packageOf(names.get(i + imported));
  packages.set(name, [...(packages.get(name) ?? []), body]);
});

function brotli(b) {
  return brotliCompressSync(b, { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 } }).length;
}

const table = [...packages].map(([name, list]) => ({ name, raw: list.reduce((n, b) => n + b.length, 0), list }))
  .sort((a, b) => b.raw - a.raw);
const line = (raw, packed, name) => console.log(`${String(raw).padStart(10)} ${String(packed).padStart(9)}  ${name}`);
console.log('   raw code    brotli  package');
for (const { name, raw, list } of table.slice(0, Number(rows))) line(raw, brotli(Buffer.concat(list)), name);
line(data.length, brotli(data), '(data: types, strings, tables)');
