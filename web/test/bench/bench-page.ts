// The browser and the server of the benchmarks.
import { serve } from '../support/server.mjs';

export { launch, pod } from '../e2e/harness';

export const serverFor = (): Promise<{ url: string; close: () => Promise<void> }> => serve();
