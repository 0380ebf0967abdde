/** Made by build.mjs from the scenario files of the core's tests. */
declare module 'podwalk:examples' {
  export interface Example {
    readonly id: string; readonly title: string; readonly about: string;
    readonly zh: { readonly title: string; readonly about: string };
    readonly files: readonly { readonly name: string; readonly text: string }[];
    readonly commands: readonly string[];
  }
  export const examples: readonly Example[];
}

/** The first example's answers, computed when the page was built; null if there was no simulator. */
declare module 'podwalk:first' {
  import type { KubectlOK, OpenOK, Progress, State } from '../src/protocol';
  export const first: {
    readonly id: string; readonly open: OpenOK; readonly progress: Progress; readonly state: State;
    readonly describe: { readonly [pod: string]: KubectlOK };
  } | null;
}
