import { TOKEN_SCOPES } from '../auth/scope.ts';
import type { TokenScope } from '../auth/token.ts';
import { defined } from '../values/defined.ts';
import type { FolderRefusal, RefusalDetails, SizeRefusal } from './refusal.ts';

/** `value` as refusal details; `undefined` when it is none, or of a kind that is not known here. */
export function readRefusal(value: unknown): RefusalDetails | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const given: Partial<Record<string, unknown>> = { ...value };
  const { uri, reason } = given;
  switch (given['kind']) {
    case 'scope': {
      const { needed, held, asked, setting } = given;
      if (!isScope(needed) || !isScope(held) || typeof asked !== 'string') return undefined;
      return {
        kind: 'scope',
        needed,
        held,
        asked,
        ...defined({ setting: typeof setting === 'string' ? setting : undefined }),
      };
    }
    case 'limit': {
      const { of, max } = given;
      return typeof of === 'string' && typeof max === 'number' ? { kind: 'limit', of, max } : undefined;
    }
    case 'size': {
      const { field, unit, max, actual } = given;
      const isFit = typeof field === 'string' && typeof max === 'number' && typeof actual === 'number';
      return isFit && isSizeUnit(unit) ? { kind: 'size', field, unit, max, actual } : undefined;
    }
    case 'parameter': {
      const { parameter, problem } = given;
      const isFit = typeof parameter === 'string' && typeof problem === 'string';
      return isFit ? { kind: 'parameter', parameter, problem } : undefined;
    }
    case 'folder': {
      if (typeof uri !== 'string' || !isFolderReason(reason)) return undefined;
      const roots = Array.isArray(given['roots'])
        ? given['roots'].filter((root) => typeof root === 'string')
        : [];
      return { kind: 'folder', uri, reason, ...(roots.length === 0 ? {} : { roots }) };
    }
    case 'setting': {
      const { setting, value: entry } = given;
      const isKnown = setting === 'allowedHosts' || setting === 'allowedOrigins';
      return isKnown && typeof entry === 'string' ? { kind: 'setting', setting, value: entry } : undefined;
    }
    case 'tls':
      return { kind: 'tls' };
    case 'database':
      return given['state'] === 'unreachable' ? { kind: 'database', state: 'unreachable' } : undefined;
    default:
      return undefined;
  }
}

/** Reads the refusal from the text of the HTTP header. */
export function parseRefusal(text: string | null | undefined): RefusalDetails | undefined {
  if (text === null || text === undefined) return undefined;
  try {
    return readRefusal(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isScope = (value: unknown): value is TokenScope => TOKEN_SCOPES.some((scope) => scope === value);

const isSizeUnit = (value: unknown): value is SizeRefusal['unit'] =>
  value === 'characters' || value === 'members' || value === 'charactersAltogether';

const isFolderReason = (value: unknown): value is FolderRefusal['reason'] =>
  value === 'missing' || value === 'outside' || value === 'private';
