export function headersOf(toml: string): { for: string; values: { [name: string]: string } }[];
export function serve(folder?: string, port?: number): Promise<{ url: string; close: () => Promise<void> }>;
