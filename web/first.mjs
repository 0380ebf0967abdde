// Runs play.wasm in node and prints what it answers for some files, so that the
// page has a result before its own copy of the program has loaded.
// usage: node first.mjs WASM_EXEC PLAY_WASM < files.json
import { readFileSync, writeSync } from 'node:fs';
import vm from 'node:vm';

const [exec, wasm] = process.argv.slice(2);
const files = JSON.parse(readFileSync(0, 'utf8'));

vm.runInThisContext(readFileSync(exec, 'utf8'), { filename: exec });
const go = new globalThis.Go();
const { instance } = await WebAssembly.instantiate(readFileSync(wasm), go.importObject);
void go.run(instance);

let id = 0;
function call(op, args) {
  const bytes = globalThis.podwalkHandle(new TextEncoder().encode(JSON.stringify({ id: ++id, op, args })));
  const answer = JSON.parse(new TextDecoder().decode(bytes));
  if (answer.err) throw new Error(`${op}: ${answer.err.message}`);
  return answer.ok;
}

const open = call('open', { files });
const progress = call('advance', { to: 600, untilQuiescent: true });
const state = call('state', {});
const describe = {};
for (const p of state.pods.slice(0, 4)) {
  describe[`${p.namespace}/${p.name}`] = call('kubectl', { argv: ['describe', 'pod', p.name, '-n', p.namespace] });
}
const out = Buffer.from(JSON.stringify({ open, progress, state, describe }));
for (let at = 0; at < out.length;) at += writeSync(1, out, at);
process.exit(0);
