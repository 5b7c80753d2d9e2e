import type { SessionConfigSchema } from '@agenthost/protocol';
import { ChevronRight } from 'lucide-react';
import { text } from '../../text/text.ts';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { Spinner } from '../../ui/states.tsx';
import type { SessionConfig } from './use-session-config.ts';

/** Options that are shown beside agent and folder; all others are folded away. */
const FIRST: readonly string[] = ['approvals', 'isolation', 'base'];

const MULTILINE: readonly string[] = ['instructions'];

interface OptionsFieldsProps {
  readonly config: SessionConfig;
  readonly chosen: Readonly<Record<string, unknown>>;
  readonly errors: Readonly<Record<string, string>>;
  readonly onChange: (chosen: Record<string, unknown>, changed: string) => void;
}

/** The options that matter for most sessions. */
export function FirstOptions(props: OptionsFieldsProps) {
  const { resolved } = props.config;
  if (resolved === undefined) return undefined;
  const isolation = props.chosen['isolation'] ?? resolved.values['isolation'];
  const isShown = (name: string): boolean =>
    FIRST.includes(name) && (name !== 'base' || isolation === 'worktree');
  return <Form {...props} schema={part(resolved.schema, isShown)} />;
}

/** The other options, folded away until one is needed. */
export function MoreOptions(props: OptionsFieldsProps) {
  const { config, errors } = props;
  const { resolved, problem, isLoading } = config;
  const schema = resolved && part(resolved.schema, (name) => !FIRST.includes(name));
  const isNeeded =
    schema !== undefined &&
    Object.keys(schema.properties).some(
      (name) => errors[name] !== undefined || isMissing(schema, resolved?.values, name),
    );
  return (
    <details className="group rounded-xl border border-line" open={isNeeded || undefined}>
      <summary className="flex h-11 cursor-pointer list-none items-center gap-2 px-4 text-sm font-medium select-none">
        <ChevronRight
          className="size-4 text-muted transition-transform group-open:rotate-90 rtl:rotate-180"
          aria-hidden
        />
        {text.newSession.options}
        {isLoading && <Spinner label={text.newSession.optionsLoading} className="size-3.5" />}
      </summary>
      <div className="border-t border-line p-4">
        {problem !== undefined && (
          <p role="alert" className="mb-3 text-sm break-words text-danger">
            {text.newSession.optionsFailed(problem)}
          </p>
        )}
        {schema !== undefined && <Form {...props} schema={schema} />}
      </div>
    </details>
  );
}

function Form({
  config,
  chosen,
  errors,
  onChange,
  schema,
}: OptionsFieldsProps & { readonly schema: SessionConfigSchema }) {
  return (
    <SchemaForm
      schema={schema}
      values={{ ...config.resolved?.values, ...chosen }}
      errors={errors}
      completions={config.completions}
      isMultiline={(name) => MULTILINE.includes(name)}
      onChange={(values, name) => onChange(withValue(chosen, name, values[name]), name)}
    />
  );
}

/** A cleared option goes back to the agent's default. */
function withValue(
  chosen: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
): Record<string, unknown> {
  const rest = Object.fromEntries(Object.entries(chosen).filter(([each]) => each !== name));
  return value === undefined ? rest : { ...rest, [name]: value };
}

const isMissing = (
  schema: SessionConfigSchema,
  values: Readonly<Record<string, unknown>> | undefined,
  name: string,
): boolean => schema.required?.includes(name) === true && values?.[name] === undefined;

function part(schema: SessionConfigSchema, isWanted: (name: string) => boolean): SessionConfigSchema {
  const required = schema.required?.filter(isWanted);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(schema.properties).filter(([name]) => isWanted(name))),
    ...(required === undefined ? {} : { required }),
  };
}
