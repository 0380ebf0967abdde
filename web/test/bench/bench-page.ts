// The browser and the server of the benchmarks.
import { chromium, type BrowserContext } from 'playwright-core';
import { browserPath, FLAGS } from '../e2e/harness';
import { serve } from '../support/server.mjs';

export { launch, pod } from '../e2e/harness';

export const serverFor = (): Promise<{ url: string; close: () => Promise<void> }> => serve();

/** A browser whose caches last as long as its profile's folder. */
export const visitor = (profile: string): Promise<BrowserContext> =>
  chromium.launchPersistentContext(profile, { executablePath: browserPath(), args: FLAGS });
