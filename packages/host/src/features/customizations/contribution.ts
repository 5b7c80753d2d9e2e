import type { AgentInfo, Message } from '@agenthost/protocol';
import type { AgentCommand } from '../../agents/provider.ts';
import type { ScopedRule } from '../../agents/turn.ts';
import { beginningOf } from '../../lib/beginning-of.ts';
import type { TurnContribution } from '../../turns/contribution.ts';
import { agentPath, type ParsedChild } from './child.ts';
import { isElsewhere, SKILL_TOOL } from './skill-tool.ts';

/** Maximum characters of all rules and skills together. */
const MAX_INSTRUCTIONS = 64 * 1024;

type ChildOf<T extends ParsedChild['child']['type']> = ParsedChild & {
  readonly child: Extract<ParsedChild['child'], { type: T }>;
};

const isOf =
  <T extends ParsedChild['child']['type']>(type: T) =>
  (each: ParsedChild): each is ChildOf<T> =>
    each.child.type === type;

/** The rules and skills in effect as text for a model; '' if there are none. `folders`: those that the agent works in. */
export function instructionsFrom(children: readonly ParsedChild[], folders: readonly string[]): string {
  const rules = children.filter(isOf('rule')).map(ruleText);
  const skills = children
    .filter(isOf('skill'))
    .filter(({ child }) => child.disableModelInvocation !== true)
    .map((skill) => skillText(skill, isElsewhere(skill, folders)));
  const parts = [
    ...(rules.length === 0 ? [] : ['# Rules', ...rules]),
    ...(skills.length === 0
      ? []
      : [
          '# Skills',
          'Before a task that one of these skills is for, read the skill and follow it.',
          ...skills,
        ]),
  ];
  return fitted(parts);
}

/** Whole parts up to the limit, with a note about the others. */
function fitted(parts: readonly string[]): string {
  let length = 0;
  const kept = parts.filter((part) => {
    length += part.length + 2;
    return length <= MAX_INSTRUCTIONS;
  });
  const left = parts.length - kept.length;
  return [
    ...kept,
    ...(left === 0 ? [] : [`[${left} more rules or skills are left out: they are too long]`]),
  ].join('\n\n');
}

/** Whether a rule is only for files that match its globs. */
const isScoped = ({ alwaysApply, globs = [] }: ChildOf<'rule'>['child']): boolean =>
  alwaysApply !== true && globs.length > 0;

/** The rules for certain files, for agents that apply them themselves. */
const scopedRules = (children: readonly ParsedChild[]): ScopedRule[] =>
  children
    .filter(isOf('rule'))
    .filter(({ child }) => isScoped(child))
    .map((rule) => ({ id: rule.child.id, globs: rule.child.globs ?? [], text: ruleText(rule) }));

function ruleText({ child, body }: ChildOf<'rule'>): string {
  const { name, description, alwaysApply, globs = [] } = child;
  const about = description === undefined ? '' : `: ${description}`;
  if (isScoped(child)) return `## ${name}${about}\nOnly for files that match ${globs.join(', ')}:\n\n${body}`;
  if (alwaysApply === true || description === undefined) return `## ${name}${about}\n\n${body}`;
  return `## ${name}\nOnly where this applies: ${description}\n\n${body}`;
}

function skillText(skill: ChildOf<'skill'>, isFar: boolean): string {
  const { name, uri, description = '' } = skill.child;
  const line = `- ${name}${description === '' ? '' : `: ${description}`}`;
  const path = agentPath(skill, uri);
  const more = skill.folder === undefined ? '' : ', with files in its folder';
  if (!isFar) return `${line} (${path}${more})`;
  const place = path === undefined ? '' : `; its file is ${path}`;
  return `${line} (read it with the tool ${SKILL_TOOL}${place}${more})`;
}

/** The commands that people can type as `/name`: prompts, and skills that people may invoke. The first one of a name counts. */
export function commandsFrom(
  children: readonly ParsedChild[],
): readonly (AgentCommand & { readonly source: ParsedChild })[] {
  const byName = new Map<string, AgentCommand & { readonly source: ParsedChild }>();
  for (const source of children) {
    const { child, hint } = source;
    const isCommand =
      child.type === 'prompt' || (child.type === 'skill' && child.disableUserInvocation !== true);
    // A name with a space cannot be told from its arguments.
    const name = child.name.replace(/\s+/g, '-');
    if (!isCommand || byName.has(name)) continue;
    const description = child.description ?? beginningOf(source.body.split('\n')[0] ?? '', 100);
    byName.set(name, { name, description, ...(hint === undefined ? {} : { hint }), source });
  }
  return [...byName.values()];
}

/**
 * Adds the customizations in effect to the input of a turn. `taken`: names of commands of the agent itself, which are not replaced.
 */
export function contributionTo(
  message: Message,
  children: readonly ParsedChild[],
  {
    taken,
    models,
    folders,
    readsItself,
  }: {
    readonly taken: ReadonlySet<string>;
    readonly models: AgentInfo['models'];
    /** Absolute paths of the folders that the agent works in. */
    readonly folders: readonly string[];
    /** Whether the agent reads the file of a rule or a skill itself. */
    readsItself(child: ParsedChild): boolean;
  },
): Pick<TurnContribution, 'instructions' | 'scoped' | 'context' | 'message' | 'tools'> & {
  /** What of the customizations has no effect, as sentences for people. */
  readonly without: readonly string[];
} {
  const chosen = children
    .filter(isOf('agent'))
    .find(({ child }) => message.agent !== undefined && child.uri === message.agent.uri);
  const { name, model, tools = [] } = chosen?.child ?? {};
  const isMissing =
    model !== undefined && message.model === undefined && !models.some(({ id }) => id === model);
  const told = children.filter((child) => !readsItself(child));
  const rules = scopedRules(told);
  const always = told.filter(({ child }) => child.type !== 'rule' || !isScoped(child));
  return {
    instructions: instructionsFrom(told, folders),
    ...(rules.length === 0 ? {} : { scoped: { rules, instructions: instructionsFrom(always, folders) } }),
    without: isMissing
      ? [`The agent ${name} wants the model ${model}, which the provider of this session does not have.`]
      : [],
    ...(tools.length === 0 ? {} : { tools }),
    context: chosen === undefined ? [] : [agentText(chosen)],
    message: withModel(expanded(message, children, taken), chosen, models),
  };
}

function agentText({ child: { name, tools = [] }, body }: ChildOf<'agent'>): string {
  const only = tools.length === 0 ? '' : `\n\nUse only these tools: ${tools.join(', ')}.`;
  return `Answer the next message as the agent "${name}":\n\n${body}${only}`;
}

/** The model of a custom agent, if the message names none and the agent's service has it. */
function withModel(
  message: Message,
  chosen: ChildOf<'agent'> | undefined,
  models: AgentInfo['models'],
): Message {
  const id = chosen?.child.model;
  if (id === undefined || message.model !== undefined || !models.some((model) => model.id === id))
    return message;
  return { ...message, model: { id } };
}

/** A message that starts with `/name` with the text of the command in its place. The transcript keeps what was typed. */
export function expanded(
  message: Message,
  children: readonly ParsedChild[],
  taken: ReadonlySet<string>,
): Message {
  const match = /^\/([^\s/]+)(?:\s+|$)/.exec(message.text);
  if (message.origin.kind !== 'user' || match === null) return message;
  const [whole, name = ''] = match;
  if (taken.has(name)) return message;
  const command = commandsFrom(children).find((each) => each.name === name);
  if (command === undefined) return message;
  const text = withArguments(command.source, message.text.slice(whole.length).trim());
  if (message.attachments === undefined) return { ...message, text };
  // Their ranges point into the text that was typed.
  const attachments = message.attachments.map(({ range: _, ...attachment }) => attachment);
  return { ...message, text, attachments };
}

/** `$ARGUMENTS` stands for all arguments, `$1` to `$9` for one of them. Without either the arguments follow the text. */
function withArguments(command: ParsedChild, given: string): string {
  const { body } = command;
  const words = given.split(/\s+/);
  const hasPlace = /\$(?:ARGUMENTS\b|[1-9])/.test(body);
  const text = body.replace(/\$(?:ARGUMENTS\b|([1-9]))/g, (_, index?: string) =>
    index === undefined ? given : (words[Number(index) - 1] ?? ''),
  );
  const folder = agentPath(command, command.folder);
  const files = folder === undefined ? '' : `\n\nFiles of this skill: ${folder}`;
  return `${text}${hasPlace || given === '' ? '' : `\n\n${given}`}${files}`;
}
