// Runs one of the browser's programs in node. As a script it answers requests, one
// JSON object a line on stdin, with one answer a line on stdout:
// usage: node node.mjs WASM_EXEC PROGRAM FUNCTION < requests
import { readFileSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

/** Starts a program and returns its function, from text to text. */
export async function start(exec, program, name) {
  vm.runInThisContext(readFileSync(exec, 'utf8'), { filename: exec });
  const go = new globalThis.Go();
  const { instance } = await WebAssembly.instantiate(readFileSync(program), go.importObject);
  void go.run(instance);
  const handle = globalThis[name];
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  return (request) => decoder.decode(handle(encoder.encode(request)));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [exec, program, name] = process.argv.slice(2);
  const call = await start(exec, program, name);
  for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
    const out = Buffer.from(`${call(line)}\n`);
    for (let at = 0; at < out.length;) at += writeSync(1, out, at);
  }
  process.exit(0);
}
