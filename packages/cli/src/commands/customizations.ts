import type { SessionHandle } from '@agenthost/client';
import {
  type ChildCustomization,
  type Customization,
  type CustomizationEnablement,
  decisionsAbout,
  type EnablementLevel,
  isEnabled,
  withDecision,
} from '@agenthost/protocol';
import { checkAccepted } from '../host-link/accepted.ts';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { findSession } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `customizations` and what is below it, as parsed. */
export interface CustomizationOptions extends HostOptions {
  readonly json?: boolean;
  /** Where a decision holds. */
  readonly for?: 'session' | 'workspace' | 'everywhere';
}

/** A customization with the container that it is in, if any. */
interface Listed {
  readonly customization: Customization | ChildCustomization;
  readonly container: Customization | undefined;
}

/** `customizations list`: containers and their children, with state and faults. */
export function listCustomizations(
  context: Context,
  screen: Screen,
  given: string,
  options: CustomizationOptions,
): Promise<ExitCode> {
  return withSession({ context, screen, given }, options, async (session) => {
    const all = listedIn(session);
    if (options.json !== true) {
      if (all.length === 0) screen.note('the session has no customizations');
      else screen.columnNames(COLUMNS);
    }
    for (const each of all) show(screen, options, each);
    return EXIT.done;
  });
}

/** `customizations enable`, `disable` and `reset`; `enabled` of `undefined` takes the decision back. */
export function decideCustomization(
  context: Context,
  screen: Screen,
  { given, name, enabled }: { given: string; name: string; enabled: boolean | undefined },
  options: CustomizationOptions,
): Promise<ExitCode> {
  const { for: where = 'session' } = options;
  const level: EnablementLevel = where === 'everywhere' ? 'global' : where;
  return withSession({ context, screen, given }, options, async (session) => {
    const found = find(session, given, name);
    const { customization, container } = found;
    const isClients = container !== undefined && 'clientId' in container && container.clientId !== undefined;
    if (level === 'global' && (isClients || 'clientId' in customization))
      throw new CliError(
        EXIT.error,
        'the client that publishes it decides about it everywhere; decide for session or workspace',
      );
    const [workspace] = session.mirror.state.workingDirectories ?? [];
    if (level === 'workspace' && workspace === undefined)
      throw new CliError(EXIT.error, 'the session has no folder; decide for session or everywhere');
    const decisions = withDecision(decisionsAbout(customization), { level, enabled, workspace });
    const answer = await session.toggleCustomization(customization.id, decisions);
    checkAccepted(answer, 'the host refused the request');
    show(screen, options, found, decisions);
    return EXIT.done;
  });
}

function withSession(
  { context, screen, given }: { context: Context; screen: Screen; given: string },
  options: CustomizationOptions,
  use: (session: SessionHandle) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const { resource } = await findSession(client, given);
    const session = await client.sessions.open(resource, { turns: 0 });
    try {
      return await use(session);
    } finally {
      session.dispose();
    }
  });
}

function listedIn({ mirror }: SessionHandle): Listed[] {
  return (mirror.state.customizations ?? []).flatMap((customization) => [
    { customization, container: undefined },
    ...('children' in customization ? (customization.children ?? []) : []).map((child) => ({
      customization: child,
      container: customization,
    })),
  ]);
}

/** Finds by id, by name, or by `container/name`. */
function find(session: SessionHandle, shown: string, given: string): Listed {
  const all = listedIn(session);
  const found = all.filter(
    ({ customization: { id, name }, container }) =>
      id === given || name === given || (container !== undefined && `${container.name}/${name}` === given),
  );
  const [only, another] = found;
  if (only !== undefined && another === undefined) return only;
  const list = `\`${commandLine(`customizations list ${oneLine(shown)} --json`)}\` shows the ids`;
  throw new CliError(
    EXIT.error,
    only === undefined
      ? `the session has no customization ${oneLine(given)}; ${list}`
      : `${found.length} customizations are named ${oneLine(given)}; ${list}`,
  );
}

const WHERE: Readonly<Record<EnablementLevel, string>> = {
  session: 'session',
  workspace: 'workspace',
  global: 'everywhere',
};

/** Faults of a container, one for each line of its message: `rules/a.mdc:3:14: alwaysApply: expected true or false`. */
function faultsOf(customization: Listed['customization']): string[] {
  const load = 'load' in customization ? customization.load : undefined;
  return load !== undefined && 'message' in load ? load.message.split('\n') : [];
}

const COLUMNS = `${'TYPE'.padEnd(11)} ${'STATE'.padEnd(16)}  NAME, DESCRIPTION`;

/**
 * ```
 * plugin     on                Kit 1.2  (degraded)
 *   rules/bad.mdc:3:14: alwaysApply: expected true or false
 *   rule     off (workspace)   style  Style of the code
 * ```
 */
function show(
  screen: Screen,
  { json = false }: CustomizationOptions,
  { customization, container }: Listed,
  decisions: readonly CustomizationEnablement[] = decisionsAbout(customization),
): void {
  const enabled = decisions[0]?.enabled ?? (decisions.length === 0 && isEnabled(customization));
  const inEffect = enabled && (container === undefined || isEnabled(container));
  const faults = faultsOf(customization);
  if (json) {
    const { type, id, name, uri } = customization;
    const load = 'load' in customization ? { load: customization.load?.kind } : {};
    const of = container === undefined ? {} : { container: container.id };
    const client = 'clientId' in customization ? { clientId: customization.clientId } : {};
    return screen.json({
      type,
      id,
      name,
      uri,
      ...of,
      ...client,
      enabled,
      inEffect,
      decisions,
      ...load,
      faults,
    });
  }
  const by = decisions[0] === undefined ? '' : ` (${WHERE[decisions[0].kind]})`;
  const state = `${inEffect ? 'on' : 'off'}${by}${enabled && !inEffect ? ' with its container' : ''}`;
  const indent = container === undefined ? '' : '  ';
  const type = customization.type === 'mcpServer' ? 'mcp server' : customization.type;
  const line = `${indent}${type.padEnd(11 - indent.length)} ${state.padEnd(16)}  ${describe(customization)}`;
  screen.line(line.trimEnd());
  for (const more of [...hookLines(customization), ...faults])
    screen.line(`${indent}  ${oneLine(more, 500)}`);
}

/** What a hook runs, and whether a person has allowed it. Other hosts tell neither. */
function hookLines({ type, _meta }: Listed['customization']): string[] {
  const told = type === 'hook' ? _meta?.['agenthost.hook'] : undefined;
  if (typeof told !== 'object' || told === null || !('commands' in told) || !Array.isArray(told.commands))
    return [];
  const commands: unknown[] = told.commands;
  const consent = 'allowed' in told && told.allowed === true ? 'allowed' : 'asks before it runs';
  return [consent, ...commands.filter((each): each is string => typeof each === 'string')];
}

function describe(customization: Listed['customization']): string {
  const parts = [oneLine(customization.name, 100)];
  if ('version' in customization && customization.version !== undefined)
    parts.push(oneLine(customization.version, 32));
  if ('description' in customization && customization.description !== undefined)
    parts.push(`- ${oneLine(customization.description, 100)}`);
  const load = 'load' in customization ? customization.load?.kind : undefined;
  if (load !== undefined && load !== 'loaded') parts.push(`(${load})`);
  if ('clientId' in customization && customization.clientId !== undefined)
    parts.push(`(from client ${oneLine(customization.clientId, 64)})`);
  return parts.join(' ');
}
