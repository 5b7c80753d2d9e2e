import type { HostSpan, TelemetryAttributes, Waterfall } from '@agenthost/client';
import { countText, durationText } from '../text/format.ts';
import { telemetryText } from '../text/telemetry-text.ts';

/** What a step is; it chooses the colour of the bar. */
export type StepKind = 'turn' | 'model' | 'tool' | 'wait';

/** A fact of a step with its name. */
export interface StepFact {
  readonly name: string;
  readonly value: string;
  /** True: a text of several lines. */
  readonly isLong: boolean;
}

/** One step of a turn, ready to be shown. */
export interface TraceRow {
  readonly id: string;
  readonly kind: StepKind;
  readonly label: string;
  /** 0 for the turn. */
  readonly depth: number;
  /** ms since the start of the trace. */
  readonly offsetMs: number;
  readonly durationMs: number;
  readonly isRunning: boolean;
  readonly hasFailed: boolean;
  /** What stands behind the label, in a few words. */
  readonly notes: readonly string[];
  readonly facts: readonly StepFact[];
}

/** Whether the turn of a trace runs. */
export const isRunning = ({ rows }: Waterfall): boolean => rows.some(({ span }) => isOpenTurn(span));

const isOpenTurn = ({ attributes }: HostSpan): boolean => attributes['ahp.turn.outcome'] === 'open';

/** The steps of a turn. `grownMs`: time since the trace was read, by which the open steps have grown. */
export function traceRows(
  { rows, durationMs }: Waterfall,
  grownMs: number,
): { readonly rows: readonly TraceRow[]; readonly durationMs: number } {
  // The host ends all open spans of a running turn at the time at which it reads them.
  const readAt = rows.find(({ span }) => isOpenTurn(span))?.span.endMs;
  return {
    durationMs: durationMs + (readAt === undefined ? 0 : grownMs),
    rows: rows.map(({ span, depth, offsetMs, durationMs: ownMs }) => {
      const isOpen = readAt !== undefined && span.endMs === readAt;
      return {
        id: span.id,
        kind: kindOf(span.attributes),
        label: labelOf(span),
        depth,
        offsetMs,
        durationMs: ownMs + (isOpen ? grownMs : 0),
        isRunning: isOpen,
        hasFailed: span.hasFailed,
        notes: notesOf(span, isOpen),
        facts: factsOf(span.attributes),
      };
    }),
  };
}

function kindOf({ 'ahp.span.kind': kind }: TelemetryAttributes): StepKind {
  return kind === 'model' || kind === 'tool' || kind === 'wait' ? kind : 'turn';
}

const isIn = <T extends object>(key: string, object: T): key is Extract<keyof T, string> =>
  Object.hasOwn(object, key);

function labelOf({ name, attributes }: HostSpan): string {
  switch (attributes['ahp.span.kind']) {
    case 'turn':
      return telemetryText.turn(String(attributes['gen_ai.provider.name'] ?? name));
    case 'model': {
      const model = attributes['gen_ai.request.model'];
      return model === undefined ? telemetryText.anyModel : telemetryText.model(String(model));
    }
    case 'tool':
      return String(attributes['gen_ai.tool.name'] ?? name);
    case 'wait': {
      const reason = String(attributes['ahp.wait.reason']);
      return isIn(reason, telemetryText.wait) ? telemetryText.wait[reason] : name;
    }
    default:
      return name;
  }
}

const OUTCOMES = ['ahp.turn.outcome', 'ahp.tool_call.outcome', 'ahp.wait.outcome'];

function outcomeOf(attributes: TelemetryAttributes): string | undefined {
  const found = OUTCOMES.flatMap((key) => attributes[key] ?? [])[0];
  if (found === undefined || found === 'open' || found === 'complete') return undefined;
  const outcome = String(found);
  return isIn(outcome, telemetryText.outcome) ? telemetryText.outcome[outcome] : outcome;
}

function notesOf({ attributes, hasFailed }: HostSpan, isOpen: boolean): string[] {
  const input = attributes['gen_ai.usage.input_tokens'];
  const output = attributes['gen_ai.usage.output_tokens'];
  const outcome = outcomeOf(attributes);
  return [
    ...(isOpen ? [telemetryText.running] : []),
    ...(input === undefined && output === undefined
      ? []
      : [telemetryText.tokens(countText(Number(input ?? 0)), countText(Number(output ?? 0)))]),
    ...(outcome === undefined ? [] : [outcome]),
    ...(hasFailed && outcome === undefined ? [telemetryText.hasFailed] : []),
  ];
}

/** Attributes that the details of a step show, with their names and how they are written. */
const FACTS: readonly (readonly [
  key: string,
  name: keyof typeof telemetryText.facts,
  how: 'text' | 'count' | 'time' | 'long',
])[] = [
  ['gen_ai.request.model', 'model', 'text'],
  ['gen_ai.usage.input_tokens', 'tokensIn', 'count'],
  ['gen_ai.usage.output_tokens', 'tokensOut', 'count'],
  ['gen_ai.usage.cache_read.input_tokens', 'tokensCached', 'count'],
  ['ahp.time_to_first_output_ms', 'firstOutput', 'time'],
  ['ahp.tool_call.run_ms', 'ran', 'time'],
  ['error.type', 'error', 'text'],
  ['ahp.tool_call.id', 'call', 'text'],
  ['gen_ai.input.messages', 'message', 'long'],
  ['gen_ai.tool.call.arguments', 'input', 'long'],
  ['gen_ai.tool.call.result', 'result', 'long'],
];

function factsOf(attributes: TelemetryAttributes): StepFact[] {
  const outcome = outcomeOf(attributes);
  const facts = FACTS.flatMap(([key, name, how]): StepFact[] => {
    const value = attributes[key];
    if (value === undefined) return [];
    return [{ name: telemetryText.facts[name], value: shown(value, how), isLong: how === 'long' }];
  });
  if (outcome === undefined) return facts;
  return [{ name: telemetryText.facts.outcome, value: outcome, isLong: false }, ...facts];
}

function shown(value: string | number | boolean, how: 'text' | 'count' | 'time' | 'long'): string {
  if (how === 'count') return countText(Number(value));
  return how === 'time' ? durationText(Number(value)) : String(value);
}
