import { isReached, type SupportedVersion } from '../wire/versions.ts';
import { SHAPES, type Shape, type ShapeName } from './newer-fields.ts';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A value of type `name` for a peer of `version`: newer fields and union members are removed, and a command's
 * output stays as text. Returns the value itself when nothing is removed, and `undefined` for a newer union
 * member [CONN-9].
 */
export function fitToVersion<T>(name: ShapeName, value: T, version: SupportedVersion): T | undefined {
  // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- what is left out is optional or an item of a list, and what replaces an item is of the same union
  return fit(SHAPES[name], value, version) as T | undefined;
}

function fit(shape: Shape, value: unknown, version: SupportedVersion): unknown {
  if (!isObject(value)) return value;
  const { union } = shape;
  if (union !== undefined) {
    const kind = String(value[union.by]);
    if (!isKnown(union.since, kind, version)) return olderForm(value);
    const member = union.of[kind];
    return member === undefined || !Object.hasOwn(union.of, kind)
      ? value
      : fit(SHAPES[member], value, version);
  }
  let fitted = value;
  for (const field of Object.keys(shape.since ?? {})) {
    if (!Object.hasOwn(fitted, field) || isKnown(shape.since, field, version)) continue;
    const { [field]: _, ...rest } = fitted;
    fitted = rest;
  }
  for (const [field, name] of Object.entries(shape.holds ?? {})) {
    if (!Object.hasOwn(fitted, field)) continue;
    const inner = fitHeld(SHAPES[name], fitted[field], version);
    if (inner !== fitted[field]) fitted = { ...fitted, [field]: inner };
  }
  return fitted;
}

function fitHeld(shape: Shape, value: unknown, version: SupportedVersion): unknown {
  if (!Array.isArray(value)) return fit(shape, value, version);
  const items = value.map((item: unknown) => fit(shape, item, version)).filter((item) => item !== undefined);
  const isSame = items.length === value.length && items.every((item, index) => item === value[index]);
  return isSame ? value : items;
}

/** The older form of a newer union member: output of a command as text. */
function olderForm({ type, preview }: Json): Json | undefined {
  return type === 'terminalComplete' ? { type: 'text', text: preview ?? '' } : undefined;
}

const isKnown = (since: Shape['since'], name: string, version: SupportedVersion): boolean =>
  since === undefined || !Object.hasOwn(since, name) || isReached(since[name], version);
