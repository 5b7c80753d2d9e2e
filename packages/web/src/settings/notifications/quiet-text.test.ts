import { describe, expect, it } from 'vitest';
import { quietText } from './quiet-text.ts';

const hours = (from: string, to: string, timeZone = 'Europe/Berlin') => ({ from, to, timeZone });

describe('quiet hours in words', () => {
  it('names the next day when they span midnight', () => {
    expect(quietText(hours('22:00', '07:30'), 'Europe/Berlin', 'en-GB')).toBe(
      'No notification from 22:00 to 07:30 of the next day',
    );
    expect(quietText(hours('12:00', '13:00'), 'Europe/Berlin', 'en-GB')).toBe(
      'No notification from 12:00 to 13:00',
    );
  });

  it('names another time zone than the own one', () => {
    expect(quietText(hours('12:00', '13:00', 'America/New_York'), 'Europe/Berlin', 'en-GB')).toBe(
      'No notification from 12:00 to 13:00 (America/New York)',
    );
  });

  it('writes times as the locale does', () => {
    expect(quietText(hours('12:00', '13:30'), 'Europe/Berlin', 'en-US')).toMatch(
      /from 12:00\sPM to 1:30\sPM$/,
    );
  });

  it('spans the whole day when both times are equal', () => {
    expect(quietText(hours('08:00', '08:00'), 'Europe/Berlin', 'en-GB')).toBe('No notification at any time');
  });
});
