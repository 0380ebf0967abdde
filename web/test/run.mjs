// Bundles the tests of a folder and runs them with node's own runner.
// usage: node test/run.mjs unit|e2e|bench|serve [part of a file's name [flags of node]]
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { serve } from './support/server.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const [kind = 'unit', part = '', ...more] = process.argv.slice(2);

if (kind === 'serve') {
  const s = await serve(undefined, Number(part) || 8080);
  console.log(s.url);
} else {
  const out = join(here, '..', '.tmp', kind);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const entries = readdirSync(join(here, kind)).filter((f) => /\.(test|bench)\.tsx?$/.test(f) && f.includes(part));
  await esbuild.build({
    entryPoints: entries.map((f) => join(here, kind, f)), outdir: out, outExtension: { '.js': '.mjs' }, bundle: true, platform: 'node',
    format: 'esm', target: 'node20', packages: 'external', sourcemap: 'inline', jsx: 'automatic', jsxImportSource: 'preact', logLevel: 'warning',
    loader: { '.txt': 'text' },
  });
  const files = readdirSync(out).filter((f) => f.endsWith('.mjs')).map((f) => join(out, f));
  const flags = kind === 'bench' ? [] : ['--enable-source-maps', '--test', '--test-concurrency=1'];
  const run = spawnSync(process.execPath, [...flags, ...more, ...files], { stdio: 'inherit', env: { ...process.env, PODWALK_WEB: join(here, '..') } });
  process.exitCode = run.status ?? 1;
}
