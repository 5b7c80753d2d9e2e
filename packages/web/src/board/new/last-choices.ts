import { createSetting } from '../../live/setting.ts';

/** What was chosen for the last new session. */
export interface LastChoices {
  readonly host?: string;
  readonly provider?: string;
  /** Model by agent. */
  readonly models: Readonly<Record<string, string>>;
  /** Path by host. */
  readonly folders: Readonly<Record<string, string>>;
}

const NONE: LastChoices = { models: {}, folders: {} };

/** The last choices, kept in this browser. */
export const lastChoicesSetting = createSetting<LastChoices>('newSession', NONE, (stored) => {
  const { host, provider, models, folders }: Partial<Record<string, unknown>> = { ...Object(stored) };
  return {
    ...(typeof host === 'string' ? { host } : {}),
    ...(typeof provider === 'string' ? { provider } : {}),
    models: stringsOf(models),
    folders: stringsOf(folders),
  };
});

const stringsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...Object(value) }).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string',
    ),
  );
