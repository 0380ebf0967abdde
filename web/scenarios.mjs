// Reads the core's scenario files (the data-driven form: a directive, its input,
// "----", the expected text) as examples for the page.

/**
 * @typedef {{id: string, title: string, about: string, zh: {title: string, about: string}, order: number, files: {name: string, text: string}[], commands: string[]}} Example
 */

/**
 * The example that a scenario file holds; null if it is not meant for the page.
 * @param {string} id  the file's name without its ending
 * @param {string} text
 * @returns {Example | null}
 */
export function exampleOf(id, text) {
  const head = headOf(text);
  const order = head.example === 'true' ? 1000 : Number(head.example);
  if (!head.title || !(order > 0)) return null;
  const files = [];
  const commands = [];
  for (const d of directivesOf(text)) {
    const argv = d.line.split(/\s+/);
    if ((argv[0] === 'apply' || argv[0] === 'cluster') && d.input.trim()) {
      files.push({ name: nameOf(argv, files), text: `${d.input.trimEnd()}\n` });
    } else if (argv[0] === '$') commands.push(argv.slice(1).join(' '));
    else if (WRITES.has(argv[0])) commands.push(`kubectl ${d.line}`);
  }
  if (files.length === 0) return null;
  const { title, about = '' } = head;
  return { id, title, about, zh: { title: head['title.zh'] ?? title, about: head['about.zh'] ?? about }, order, files, commands };
}

const WRITES = new Set(['delete', 'create', 'scale', 'label']);

function headOf(text) {
  const head = {};
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    if (!line.startsWith('#')) break;
    const m = /^#\s*([a-z.]+):\s*(.*)$/.exec(line);
    if (m) head[m[1]] = m[2].trim();
  }
  return head;
}

function nameOf([verb, name], files) {
  const plain = name ?? (verb === 'cluster' ? 'cluster.yaml' : 'pod.yaml');
  return files.some((f) => f.name === plain) ? `file-${files.length + 1}.yaml` : plain;
}

/** The directives of a file, each with its input. */
export function directivesOf(text) {
  const lines = text.replace(/\r\n/g, '\n').split('\n');
  const out = [];
  let i = 0;
  while (i < lines.length) {
    const line = lines[i++];
    if (line.trim() === '' || line.startsWith('#')) continue;
    const input = [];
    while (i < lines.length && lines[i] !== '----') input.push(lines[i++]);
    i++;
    if (lines[i] === '----') {
      i++;
      while (i < lines.length && !(lines[i] === '----' && lines[i + 1] === '----')) i++;
      i += 2;
    } else {
      while (i < lines.length && lines[i].trim() !== '') i++;
    }
    out.push({ line: line.trim(), input: input.join('\n') });
  }
  return out;
}
