export interface Example {
  id: string; title: string; about: string; zh: { title: string; about: string }; order: number; files: { name: string; text: string }[]; commands: string[];
}
export function exampleOf(id: string, text: string): Example | null;
export function directivesOf(text: string): { line: string; input: string }[];
