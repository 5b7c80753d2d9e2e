const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:(?:Headless)?Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPad\b/, 'iPad'],
  [/\biPhone\b/, 'iPhone'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** The device of a browser for people, such as `Chrome on Android`, from its `navigator.userAgent`. */
export function deviceOf(userAgent: string): string {
  const find = (names: typeof BROWSERS): string | undefined =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [find(BROWSERS) ?? 'Browser', find(SYSTEMS)];
  return system === undefined ? browser : `${browser} on ${system}`;
}
