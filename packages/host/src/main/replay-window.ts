import type { RootConfigState } from '@agenthost/protocol';
import { numberSetting } from '../config/host-config.ts';
import type { HostOptions } from './options.ts';

const HOUR_MS = 60 * 60_000;
const MEBIBYTE = 1024 * 1024;

/** The replay window as the options say, else as the host's config says at the time of asking. */
export function replayWindow(
  config: () => RootConfigState | undefined,
  given: NonNullable<HostOptions['replayWindow']> = {},
): { readonly maxAgeMs: number; readonly maxBytes: number } {
  return {
    get maxAgeMs() {
      return given.maxAgeMs ?? numberSetting(config(), 'replayWindowHours') * HOUR_MS;
    },
    get maxBytes() {
      return given.maxBytes ?? numberSetting(config(), 'replayWindowMegabytes') * MEBIBYTE;
    },
  };
}
