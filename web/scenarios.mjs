// Reads the core's scenario files (the data-driven form: a directive, its input,
// "----", the expected text) as examples for the page.

/**
 * @typedef {{id: string, title: string, about: string, order: number, files: {name: string, text: string}[], commands: string[]}} Example
 */

/**
 * The example that a scenario file holds; null if it is not meant for the page.
 * @param {string} id  the file's name without its ending
 * @param {string} text
 * @returns {Example | null}
 */
export function exampleOf(id, text) {
  const head = headOf(text);
  if (head.example !== 'true' || !head.title) return null;
  const files = [];
  const commands = [];
  for (const d of directivesOf(text)) {
    const argv = d.line.split(/\s+/);
    if (argv[0] === 'apply' && d.input.trim()) files.push({ name: nameOf(argv, files.length), text: `${d.input.trimEnd()}\n` });
    else if (argv[0] === 'kubectl') commands.push(d.line);
  }
  if (files.length === 0) return null;
  return { id, title: head.title, about: head.about ?? '', order: Number(head.order ?? 1000), files, commands };
}

function headOf(text) {
  const head = {};
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    if (!line.startsWith('#')) break;
    const m = /^#\s*([a-z]+):\s*(.*)$/.exec(line);
    if (m) head[m[1]] = m[2].trim();
  }
  return head;
}

function nameOf(argv, n) {
  const named = argv.slice(1).map((a) => /^(?:file=)?([\w.-]+\.(?:ya?ml|json))$/.exec(a)?.[1]).find(Boolean);
  return named ?? (n === 0 ? 'pod.yaml' : `file-${n + 1}.yaml`);
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
