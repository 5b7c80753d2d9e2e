interface OptionFields {
  readonly flags: string;
  readonly description: string;
  /** Read when the option is not given. */
  readonly env?: string;
  /** Works, and is in no help: another name of an option that is. */
  readonly isHidden?: true;
  /** What the default is, where that is not one fixed value. */
  readonly defaultText?: string;
}

/** One option: all that there is to say about it, for parsing and for help alike. */
export type OptionSpec = OptionFields &
  (
    | { readonly type: 'flag' | 'text' | 'list'; readonly default?: string }
    | {
        readonly type: 'number';
        readonly default?: number;
        readonly unit?: string;
        readonly min: number;
        readonly max: number;
        readonly isInteger: boolean;
      }
    | { readonly type: 'choice'; readonly choices: readonly string[]; readonly default: string }
  );
