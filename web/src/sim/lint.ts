// The second program: hints from the schemas. Loaded after the first result;
// when it is missing or fails, the page works without it.
import type { File, Mark, SchemaField } from '../protocol';
import { Client } from './client';
import type { Boot, WorkerLike } from './wire';

export class Linter {
  private client: Client | null = null;
  private busy = false;
  private next: readonly File[] | null = null;
  private fields = new Map<string, Promise<SchemaField[]>>();

  constructor(
    private readonly spawn: () => WorkerLike,
    private readonly boot: Boot,
    private readonly onMarks: (marks: Mark[], files: readonly File[]) => void,
  ) {}

  start(): void {
    if (this.client || !this.boot.wasm) return;
    this.client = new Client(this.spawn, this.boot, (s) => { if (s.phase === 'failed') this.client = null; });
    this.client.start();
    if (this.next) this.check(this.next);
  }

  /** Asks for hints; of several asked meanwhile only the last is answered. */
  check(files: readonly File[]): void {
    this.next = files;
    if (this.client && !this.busy) void this.work(this.client);
  }

  private async work(client: Client): Promise<void> {
    this.busy = true;
    try {
      while (this.next) {
        const files = this.next;
        this.next = null;
        const { marks } = await client.call('lint', { files: [...files] });
        if (!this.next) this.onMarks(marks ?? [], files);
      }
    } catch {
      this.client = null;
    } finally {
      this.busy = false;
    }
  }

  /** The fields at a path of a kind, for completion. */
  schema(apiVersion: string, kind: string, path: string): Promise<SchemaField[]> {
    if (!this.client) return Promise.resolve([]);
    const key = `${apiVersion} ${kind} ${path}`;
    let asked = this.fields.get(key);
    if (!asked) {
      asked = this.client.call('schema', { apiVersion, kind, path }).then((a) => a.fields ?? [], () => []);
      this.fields.set(key, asked);
    }
    return asked;
  }
}
