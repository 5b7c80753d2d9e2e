import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const EXECUTABLE_PATH = '/usr/bin/chromium';

/** Whether a browser is installed. Without one its tests are skipped; under `REQUIRE_ALL=1` they fail. */
export const hasChromium = existsSync(EXECUTABLE_PATH);
if (!hasChromium && process.env['REQUIRE_ALL'] === '1') throw new Error(`${EXECUTABLE_PATH} is needed`);
if (!hasChromium) console.warn(`skipped: no ${EXECUTABLE_PATH}`);

/**
 * Features that are off. Chromium reads only the last switch of this kind, so the list has those that Playwright switches off and tests
 * need off. The last three: the address bar loads pages of its own in each new window, which takes as long as the page of a test.
 */
const DISABLED_FEATURES = [
  ...['HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'PaintHolding', 'DestroyProfileOnBrowserClose'],
  ...['Translate', 'MediaRouter', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'PreconnectToSearch'],
  ...['AimEnabled', 'WebUIOmniboxAimPopup', 'WebUIOmniboxPopup'],
];

/** Starts a browser that makes no requests by itself. The caller closes it. */
export const launchChromium = (...more: readonly string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: EXECUTABLE_PATH,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-features=${DISABLED_FEATURES.join(',')}`,
      ...more,
    ],
  });
