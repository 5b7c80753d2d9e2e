const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Steps are decimal, as disks and browsers count. */
const STEP = 1_000;

/** A number of bytes for people, such as `12.4 MB`. `locale` is a BCP 47 tag. */
export function byteText(bytes: number, locale: string): string {
  let value = bytes;
  let at = 0;
  while (value >= STEP && at < UNITS.length - 1) {
    value /= STEP;
    at += 1;
  }
  const unit = UNITS[at] ?? 'byte';
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    unitDisplay: at === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && at > 0 ? 1 : 0,
  }).format(value);
}
