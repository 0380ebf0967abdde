// Field names and enumerated values from the schemas, asked of the second program.
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { SchemaField } from '../protocol';
import { placeAt } from '../model/yamlpath';

export type Ask = (apiVersion: string, kind: string, path: string) => Promise<SchemaField[]>;

const ROOT = ['apiVersion', 'kind', 'metadata', 'spec'];

export function completer(ask: Ask) {
  return async (ctx: CompletionContext): Promise<CompletionResult | null> => {
    const line = ctx.state.doc.lineAt(ctx.pos);
    const before = line.text.slice(0, ctx.pos - line.from);
    const value = /^\s*(?:- +)*([\w.-]+):\s+(\S*)$/.exec(before);
    const key = /^\s*(?:- +)*([\w.-]*)$/.exec(before);
    if (!value && !key) return null;
    const word = value ? value[2]! : key![1]!;
    if (!word && !ctx.explicit) return null;
    const lines = ctx.state.doc.toString().split('\n');
    const place = placeAt(lines, line.number - 1, before.length - word.length);
    if (!place.kind) return key ? plain(ctx.pos - word.length, ROOT) : null;
    const fields = await ask(place.apiVersion, place.kind, place.path.join('.'));
    if (value) {
      const found = fields.find((f) => f.name === value[1]);
      return found?.enum?.length ? { from: ctx.pos - word.length, options: found.enum.map((label) => ({ label })) } : null;
    }
    return fields.length === 0 ? null : { from: ctx.pos - word.length, options: fields.map(option), validFor: /^[\w.-]*$/ };
  };
}

function option(f: SchemaField) {
  const opens = /^(object|list|map)/.test(f.type);
  return { label: f.name, detail: f.required ? `${f.type}, required` : f.type, apply: opens ? `${f.name}:` : `${f.name}: `, boost: f.required ? 1 : 0 };
}

function plain(from: number, names: readonly string[]): CompletionResult {
  return { from, options: names.map((label) => ({ label, apply: `${label}: ` })), validFor: /^\w*$/ };
}
