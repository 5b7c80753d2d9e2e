import type { AgentCustomization, JsonPrimitive, ModelSelection } from '@agenthost/protocol';
import { Bot, SlidersHorizontal, Sparkles } from 'lucide-react';
import { useState } from 'react';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Menu } from '../../ui/menu.tsx';
import type { ChatDraft } from '../draft/chat-draft.ts';
import type { Choices } from '../use-selection.ts';
import { ChoiceButton } from './choice-button.tsx';
import { ConfigDialog } from './config-dialog.tsx';

/** Chooses the model of the next message and its settings. */
export function ModelMenu({ choices, draft }: { readonly choices: Choices; readonly draft: ChatDraft }) {
  const { models, model, selection } = choices;
  const [isOpen, setOpen] = useState(false);
  const choose = (wanted: ModelSelection): void => draft.edit({ ...draft.content, model: wanted });
  if (models.length === 0) return null;
  const schema = model?.configSchema;
  return (
    <>
      <Menu
        align="start"
        entries={[
          ...models.map(({ id, name }) => ({
            label: visibleText(name),
            isChosen: id === model?.id,
            onSelect: () => choose({ id }),
          })),
          ...(schema === undefined
            ? []
            : [
                'separator' as const,
                {
                  label: text.composer.modelSettings,
                  icon: <SlidersHorizontal className="size-4" />,
                  onSelect: () => setOpen(true),
                },
              ]),
        ]}
      >
        <ChoiceButton
          name={text.composer.model}
          value={model?.name ?? text.composer.defaultModel}
          icon={<Sparkles className="size-3.5 shrink-0" aria-hidden />}
        />
      </Menu>
      {isOpen && schema !== undefined && model !== undefined && (
        <ConfigDialog
          title={text.composer.modelSettings}
          properties={Object.entries(schema.properties)}
          values={selection.model?.config ?? {}}
          onChange={(key, value) => {
            if (isPrimitive(value))
              choose({ id: model.id, config: { ...selection.model?.config, [key]: value } });
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

const isPrimitive = (value: unknown): value is JsonPrimitive =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** Chooses the custom agent of the next message. Nothing when the session has none. */
export function AgentMenu({ choices, draft }: { readonly choices: Choices; readonly draft: ChatDraft }) {
  const { agents, selection } = choices;
  if (agents.length === 0) return null;
  const choose = (agent: AgentCustomization | undefined): void =>
    draft.edit({ ...draft.content, agent: agent === undefined ? null : { uri: agent.uri } });
  const chosen = agents.find(({ uri }) => uri === selection.agent?.uri);
  return (
    <Menu
      align="start"
      entries={[
        { label: text.composer.noAgent, isChosen: chosen === undefined, onSelect: () => choose(undefined) },
        ...agents.map((agent) => ({
          label: visibleText(agent.name),
          isChosen: agent === chosen,
          onSelect: () => choose(agent),
        })),
      ]}
    >
      <ChoiceButton
        name={text.composer.agent}
        value={chosen?.name ?? text.composer.noAgent}
        icon={<Bot className="size-3.5 shrink-0" aria-hidden />}
      />
    </Menu>
  );
}
