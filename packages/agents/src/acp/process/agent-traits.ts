import { defined } from '@agenthost/protocol/values';
import { isObject, objectOf, objectsOf, textOf } from '../json.ts';

/** The abilities that an agent reported at `initialize`. */
export interface AgentTraits {
  readonly version?: string;
  readonly canLoad: boolean;
  readonly canResume: boolean;
  readonly canClose: boolean;
  /** Takes more than one working directory for a session. */
  readonly takesDirectories: boolean;
  /** Takes messages into a running turn (an extension). */
  readonly canSteer: boolean;
  readonly takesImages: boolean;
  readonly takesEmbeddedContext: boolean;
  /** Descriptions of the ways to log in. `undefined` when it names none. */
  readonly logins: string | undefined;
}

/** Reads the answer to `initialize`. */
export function readTraits(answer: unknown): AgentTraits {
  const { agentCapabilities, agentInfo, authMethods } = objectOf(answer);
  const capabilities = objectOf(agentCapabilities);
  const session = objectOf(capabilities['sessionCapabilities']);
  const prompt = objectOf(capabilities['promptCapabilities']);
  const version = textOf(objectOf(agentInfo)['version']);
  const ways = objectsOf(authMethods).flatMap(
    (method) => textOf(method['description']) ?? textOf(method['name']) ?? [],
  );
  return {
    canLoad: capabilities['loadSession'] === true,
    canResume: isObject(session['resume']),
    canClose: isObject(session['close']),
    takesDirectories: isObject(session['additionalDirectories']),
    canSteer: [objectOf(answer), capabilities].some(
      ({ _meta }) => objectOf(objectOf(_meta)['steering'])['supported'] === true,
    ),
    takesImages: prompt['image'] === true,
    takesEmbeddedContext: prompt['embeddedContext'] === true,
    logins: ways.length === 0 ? undefined : ways.join('; '),
    ...defined({ version }),
  };
}
