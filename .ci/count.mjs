// Counts tests. Reads the output of a runner (go test -json, or node's test
// runner) on stdin, prints what a person wants to see of it, and appends
// "passed failed skipped step" to a file. Exits 1 if anything failed or if no
// test ran. With --sum FILE it prints the sum as one closing line.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [name, file] = process.argv.slice(2);
if (name === '--sum') sum(file);
else await count(name, file);

function sum(path) {
  const total = [0, 0, 0];
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  for (const line of text.split('\n').filter(Boolean)) {
    line.split('\t', 3).forEach((n, i) => { total[i] += Number(n); });
  }
  const skipped = total[2] ? `, ${total[2]} skipped` : '';
  console.log(`${total[0]} passed, ${total[1]} failed${skipped}`);
}

async function count(step, path) {
  const tally = { pass: 0, fail: 0, skip: 0, broken: new Set() };
  const output = new Map();
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    const event = line.startsWith('{') ? parse(line) : null;
    if (event?.Action) goEvent(event, tally, output);
    else nodeLine(line, tally);
  }
  console.log(`${step}: ${tally.pass} passed, ${tally.fail} failed, ${tally.skip} skipped`);
  if (tally.pass + tally.fail === 0) {
    console.log(`${step}: no test ran`);
    tally.fail = 1;
  }
  appendFileSync(path, `${tally.pass}\t${tally.fail}\t${tally.skip}\t${step}\n`);
  process.exitCode = tally.fail ? 1 : 0;
}

function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** Output is kept until it is known whether its test failed. */
function goEvent(e, tally, output) {
  const key = `${e.Package ?? e.ImportPath} ${e.Test ?? ''}`;
  if (e.Action === 'output') {
    output.set(key, (output.get(key) ?? '') + e.Output);
    return;
  }
  if (e.Action === 'build-output') process.stdout.write(e.Output);
  if (!['pass', 'fail', 'skip'].includes(e.Action)) return;
  if (e.Action === 'fail') process.stdout.write(output.get(key) ?? '');
  output.delete(key);
  if (!e.Test) return endOfPackage(e, tally);
  tally[e.Action]++;
  if (e.Action === 'fail') tally.broken.add(e.Package);
}

function endOfPackage(e, tally) {
  console.log(`${e.Action === 'fail' ? 'FAIL' : 'ok  '}\t${e.Package}\t${e.Elapsed ?? 0}s`);
  // A package that does not build, or dies outside a test, has no failed test.
  if (e.Action === 'fail' && !tally.broken.has(e.Package)) tally.fail++;
}

function nodeLine(line, tally) {
  const m = /^\s*(?:#|ℹ) (pass|fail|skipped|cancelled) (\d+)\s*$/.exec(line);
  if (m) tally[{ pass: 'pass', fail: 'fail', cancelled: 'fail', skipped: 'skip' }[m[1]]] += Number(m[2]);
  console.log(line);
}
