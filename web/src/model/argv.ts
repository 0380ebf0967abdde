// Splits a command line as a shell splits words: blanks, quotes, backslash. Pure.

export type Words = { readonly argv: readonly string[]; readonly error: string };

/** The words of a line; an unclosed quote is an error. */
export function wordsOf(line: string): Words {
  const argv: string[] = [];
  let word = '';
  let open = false;
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!;
    if (quote) {
      if (c === quote) quote = '';
      else if (c === '\\' && quote === '"' && i + 1 < line.length) word += line[++i];
      else word += c;
    } else if (c === '"' || c === "'") {
      quote = c;
      open = true;
    } else if (c === '\\' && i + 1 < line.length) {
      word += line[++i];
      open = true;
    } else if (/\s/.test(c)) {
      if (open || word) argv.push(word);
      word = '';
      open = false;
    } else word += c;
  }
  if (open || word) argv.push(word);
  return { argv, error: quote ? `unclosed quote ${quote}` : '' };
}

/** The arguments after "kubectl"; the word itself and a leading "$" may be left out. */
export function kubectlArgs(argv: readonly string[]): string[] {
  const rest = [...argv];
  if (rest[0] === '$') rest.shift();
  if (rest[0] === 'kubectl' || rest[0] === 'k') rest.shift();
  return rest;
}

/** What is no kubectl line: `podwalk fault NAME ...` and `podwalk request FROM TO`; null for anything else. */
export function ownArgs(argv: readonly string[]): { kind: 'fault' | 'request'; argv: string[] } | null {
  const kind = argv[1];
  return argv[0] === 'podwalk' && (kind === 'fault' || kind === 'request') ? { kind, argv: argv.slice(2) } : null;
}

/** The line that a person would have typed. */
export const lineOf = (argv: readonly string[]): string => (ownArgs(argv) ? argv : ['kubectl', ...argv]).join(' ');

const READS = new Set([
  'get', 'describe', 'logs', 'events', 'explain', 'api-resources', 'api-versions', 'version', 'top', 'diff',
  'cluster-info', 'config', 'options', 'help', 'completion', 'auth', '',
]);

/** Whether a command only reads, so that it needs no new branch. */
export function isRead(args: readonly string[]): boolean {
  const verb = args.find((a) => !a.startsWith('-')) ?? '';
  return READS.has(verb) || args.some((a) => /^--dry-run(=(client|server))?$/.test(a));
}
