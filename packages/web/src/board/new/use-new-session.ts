import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { createSetting, useSetting } from '../../live/setting.ts';
import { pathOf, uriOf } from '../../text/file-path.ts';
import { text } from '../../text/text.ts';
import { schemaFaults } from '../../ui/schema-form/schema-faults.ts';
import { useAllSessions } from '../all-sessions.ts';
import { hostParam } from '../board-session.ts';
import { folderOf } from '../folder-name.ts';
import { lastChoicesSetting } from './last-choices.ts';
import { type StartFault, startFault } from './start-fault.ts';
import { startSession } from './start-session.ts';
import { useAgent } from './use-agent.ts';
import { useFolder } from './use-folder-names.ts';
import { useSessionConfig } from './use-session-config.ts';

/** The first message survives a reload of the page. */
const draftSetting = createSetting('newSession.message', '', (stored) =>
  typeof stored === 'string' ? stored : '',
);

const NOTHING: Readonly<Record<string, unknown>> = {};

/** State of the form for a new session on one host. `given`: values of the address. */
export function useNewSession(
  link: HostLink,
  given: { readonly folder?: string | undefined; readonly message?: string | undefined },
) {
  const navigate = useNavigate();
  const [last, setLast] = useSetting(lastChoicesSetting);
  const [draft, setDraft] = useSetting(draftSetting);
  const hostId = link.address.id;
  const [wantedProvider, setProvider] = useState(last.provider);
  const { agents, agent } = useAgent(link, wantedProvider);
  const provider = agent?.provider;
  const model = (provider !== undefined && last.models[provider]) || '';
  const isModelKnown = agent?.models.some(({ id }) => id === model) === true;
  const [path, setPath] = useState(
    given.folder === undefined ? (last.folders[hostId] ?? '') : pathOf(given.folder),
  );
  const [givenMessage, setGivenMessage] = useState(given.message);
  const message = givenMessage ?? draft;
  const [chosen, setChosen] = useState(NOTHING);
  const [fault, setFault] = useState<StartFault>();
  const [isStarting, setStarting] = useState(false);

  const standard = useFolder(link, '');
  const folder = path.trim() === '' ? undefined : uriOf(path.trim());
  const isPathWrong = path.trim() !== '' && folder === undefined;
  const config = useSessionConfig(link, provider, isPathWrong ? undefined : folder, chosen);
  const recent = useRecentFolders(link);

  const faults =
    config.resolved && schemaFaults(config.resolved.schema, { ...config.resolved.values, ...chosen });
  const optionErrors = {
    ...(fault === undefined ? {} : faults),
    ...(fault?.option === undefined ? {} : { [fault.option]: fault.message }),
  };

  const start = async (): Promise<void> => {
    if (isStarting) return;
    if (isPathWrong) return setFault({ field: 'folder', message: text.newSession.pathNotAbsolute });
    const [wrong] = Object.entries(faults ?? {});
    if (wrong !== undefined) return setFault({ field: 'option', option: wrong[0], message: wrong[1] });
    setFault(undefined);
    setStarting(true);
    try {
      const session = await startSession(link, {
        provider,
        folder,
        config: chosen,
        message,
        model: isModelKnown ? model : undefined,
      });
      setLast({
        ...last,
        host: hostId,
        ...(provider === undefined ? {} : { provider }),
        folders: { ...last.folders, [hostId]: path.trim() },
      });
      setDraft('');
      await navigate({ to: '/s/$session', params: { session }, search: { host: hostParam(link) } });
    } catch (error) {
      setFault(startFault(error));
      setStarting(false);
    }
  };

  return {
    agents,
    agent,
    setProvider: (next: string) => {
      setProvider(next);
      setChosen(NOTHING);
      setFault(undefined);
    },
    model: isModelKnown ? model : '',
    setModel: (next: string) => {
      if (provider !== undefined) setLast({ ...last, models: { ...last.models, [provider]: next } });
    },
    path,
    setPath: (next: string) => {
      setPath(next);
      if (fault?.field === 'folder') setFault(undefined);
    },
    defaultPath: standard.state === 'read' ? pathOf(standard.folder.uri) : '',
    recent,
    message,
    setMessage: (next: string) => {
      setGivenMessage(undefined);
      setDraft(next);
    },
    config,
    chosen,
    setChosen: (next: Record<string, unknown>) => {
      setChosen(next);
      setFault(undefined);
    },
    optionErrors,
    fault,
    clearFault: () => setFault(undefined),
    /** Makes the typed folder, after the host said that it does not exist. */
    makeFolder: async () => {
      if (folder === undefined) return;
      try {
        await link.client?.makeFolder(folder);
        setFault(undefined);
      } catch (error) {
        setFault({ field: 'folder', message: messageOf(error) });
      }
    },
    isStarting,
    start,
  };
}

/** Folders of the sessions of a host, the latest first. */
function useRecentFolders(link: HostLink): readonly string[] {
  const { sessions } = useAllSessions();
  return useMemo(() => {
    const paths = sessions.flatMap((each) => {
      const folder = each.link === link ? folderOf(each.summary) : undefined;
      return folder?.startsWith('file:') === true ? pathOf(folder) : [];
    });
    return Array.from(new Set(paths));
  }, [sessions, link]);
}
