// A small static server that sends the headers of netlify.toml, as production does.
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = process.env.PODWALK_WEB ?? join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.svg': 'image/svg+xml', '.json': 'application/json' };

/** The [[headers]] blocks of a netlify.toml: [{for, values}]. */
export function headersOf(toml) {
  const out = [];
  for (const line of toml.split('\n')) {
    if (/^\[\[headers\]\]/.test(line)) out.push({ for: '/*', values: {} });
    else if (/^\[/.test(line) && !/^\s*\[headers\.values\]/.test(line)) out.push({ for: '', values: {} });
    const m = /^\s*([\w-]+)\s*=\s*"(.*)"\s*$/.exec(line);
    if (!m || out.length === 0) continue;
    if (m[1] === 'for') out.at(-1).for = m[2];
    else out.at(-1).values[m[1]] = m[2];
  }
  return out.filter((h) => h.for);
}

/** Serves a folder on a free port of this machine. */
export async function serve(folder = join(web, 'dist'), port = 0) {
  const toml = join(web, '..', 'netlify.toml');
  const rules = existsSync(toml) ? headersOf(readFileSync(toml, 'utf8')) : [];
  const server = createServer((req, res) => {
    const path = normalize(decodeURIComponent(new URL(req.url, 'http://x').pathname));
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
    for (const rule of rules) {
      if (rule.for === path || (rule.for.endsWith('*') && path.startsWith(rule.for.slice(0, -1)))) {
        for (const [k, v] of Object.entries(rule.values)) if (k !== 'Strict-Transport-Security') res.setHeader(k, v);
      }
    }
    if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
      res.writeHead(404).end('not found');
      return;
    }
    res.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream');
    res.setHeader('Content-Length', statSync(file).size);
    createReadStream(file).pipe(res);
  });
  await new Promise((done) => server.listen(port, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => new Promise((done) => { server.closeAllConnections(); server.close(done); }) };
}
