// Builds the page into dist/: hashed names in assets/, the examples and the first
// result bundled. Options: --programs DIR (where *.wasm and wasm_exec.js are),
// --worker FILE (a worker that stands in for the simulator, for work on the page).
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as esbuild from 'esbuild';
import { exampleOf } from './scenarios.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const { values: opts } = parseArgs({
  options: {
    programs: { type: 'string', default: join(here, '..', 'build') },
    out: { type: 'string', default: join(here, 'dist') },
    worker: { type: 'string' },
  },
});
const scenarios = join(here, '..', 'core', 'scenario', 'testdata');
const assets = join(opts.out, 'assets');

function hashed(name, bytes) {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 10);
  const ext = extname(name);
  return `${basename(name, ext)}-${hash}${ext}`;
}

/** Copies a program into assets/; "" if it has not been built. */
function program(name) {
  const from = join(opts.programs, name);
  if (!existsSync(from)) return '';
  const to = hashed(name, readFileSync(from));
  cpSync(from, join(assets, to));
  return `assets/${to}`;
}

function examples() {
  const found = [];
  const walk = (dir) => {
    for (const e of readdirSync(dir, { withFileTypes: true })) {
      if (e.isDirectory()) walk(join(dir, e.name));
      else if (e.name.endsWith('.txt')) {
        const example = exampleOf(basename(e.name, '.txt'), readFileSync(join(dir, e.name), 'utf8'));
        if (example) found.push(example);
      }
    }
  };
  if (existsSync(scenarios)) walk(scenarios);
  return found.sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
}

/** The answers for the first example, or null where they cannot be computed. */
function firstResult(example) {
  const exec = join(opts.programs, 'wasm_exec.js');
  const wasm = join(opts.programs, 'play.wasm');
  if (!example || opts.worker || !existsSync(exec) || !existsSync(wasm)) return null;
  try {
    const text = execFileSync(process.execPath, [join(here, 'first.mjs'), exec, wasm], {
      input: JSON.stringify(example.files), maxBuffer: 64 << 20, timeout: 120_000, stdio: ['pipe', 'pipe', 'pipe'],
    });
    return { id: example.id, ...JSON.parse(text) };
  } catch (err) {
    console.warn(`the first result could not be computed, so the page starts without one: ${err.stderr || err.message}`);
    return null;
  }
}

function virtual(name, value) {
  return {
    name,
    setup(build) {
      build.onResolve({ filter: new RegExp(`^podwalk:${name}$`) }, (a) => ({ path: a.path, namespace: name }));
      build.onLoad({ filter: /.*/, namespace: name }, () => ({ contents: `export const ${name} = ${JSON.stringify(value)};`, loader: 'js' }));
    },
  };
}

async function bundle(entry, format, plugins = []) {
  const result = await esbuild.build({
    entryPoints: [entry], bundle: true, minify: true, format, write: false, outdir: assets, entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]', target: ['es2022'], jsx: 'automatic', jsxImportSource: 'preact', plugins, legalComments: 'none',
    logLevel: 'warning', charset: 'utf8',
  });
  const named = {};
  for (const f of result.outputFiles) {
    writeFileSync(f.path, f.contents);
    named[extname(f.path)] = `assets/${basename(f.path)}`;
  }
  return named;
}

const attribute = (s) => s.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');

rmSync(opts.out, { recursive: true, force: true });
mkdirSync(assets, { recursive: true });
const list = examples();
const play = program('play.wasm');
const full = program('full.wasm');
const lint = program('lint.wasm');
const sized = (url, name) => (url ? `${url} ${statSync(join(opts.programs, name)).size}` : '');
const main = await bundle(join(here, 'src/main.tsx'), 'esm', [virtual('examples', list), virtual('first', firstResult(list[0]))]);
const style = await bundle(join(here, 'src/styles/page.css'), 'esm');
const worker = await bundle(opts.worker ?? join(here, 'src/sim/worker.ts'), 'iife');
const boot = await bundle(join(here, 'src/boot.ts'), 'iife');
const icon = hashed('icon.svg', readFileSync(join(here, 'src/styles/icon.svg')));
cpSync(join(here, 'src/styles/icon.svg'), join(assets, icon));

const fill = {
  boot: boot['.js'], script: main['.js'], style: style['.css'], icon: `assets/${icon}`, worker: worker['.js'], exec: program('wasm_exec.js'),
  play: opts.worker ? 'fake 1' : sized(play, 'play.wasm'), full: opts.worker ? 'fake 1' : sized(full, 'full.wasm'), lint: sized(lint, 'lint.wasm'),
};
const html = readFileSync(join(here, 'index.html'), 'utf8').replace(/%(\w+)%/g, (_, k) => attribute(fill[k] ?? ''));
writeFileSync(join(opts.out, 'index.html'), html);
console.log(`dist: ${list.length} examples, play ${play ? 'yes' : 'no'}, lint ${lint ? 'yes' : 'no'}`);
