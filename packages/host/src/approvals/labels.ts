import type { ApprovalScope } from '@agenthost/protocol';
import type { HostCoverage } from './coverage.ts';

type ScopeKind = ApprovalScope['kind'];

/** The label of an option of the host. States exactly what is remembered. */
export type AlwaysOf =
  | { readonly kind: 'command' | 'input' }
  | { readonly kind: 'files'; readonly count: number }
  | { readonly kind: 'tool'; readonly toolName: string };

interface Labels {
  readonly allow: string;
  readonly deny: string;
  readonly deniedByPolicy: string;
  /** The label of an agent's option after which the agent no longer asks. */
  agentsAlways(label: string): string;
  always(of: AlwaysOf, scope: ScopeKind): string;
}

const ENGLISH: Labels = {
  allow: 'Allow',
  deny: 'Deny',
  deniedByPolicy: 'This session denies all calls that need permission',
  agentsAlways: (label) => `${label} (remembered by the agent itself)`,
  always(of, scope) {
    const where = scope === 'session' ? 'in this session' : 'in this folder and below';
    switch (of.kind) {
      case 'command':
        return `Always allow exactly this command ${where}`;
      case 'input':
        return `Always allow exactly this ${where}`;
      case 'files':
        return `Always allow edits of ${of.count === 1 ? 'this file' : 'these files'} ${where}`;
      case 'tool':
        return `Always allow any use of ${of.toolName} ${where}`;
      default:
        return of satisfies never;
    }
  },
};

const GERMAN: Labels = {
  allow: 'Erlauben',
  deny: 'Ablehnen',
  deniedByPolicy: 'Diese Sitzung lehnt alles ab, was um Erlaubnis fragt',
  agentsAlways: (label) => `${label} (der Agent merkt es sich selbst)`,
  always(of, scope) {
    const where = scope === 'session' ? 'in dieser Sitzung' : 'in diesem Ordner und darunter';
    switch (of.kind) {
      case 'command':
        return `Genau diesen Befehl ${where} immer erlauben`;
      case 'input':
        return `Genau dies ${where} immer erlauben`;
      case 'files':
        return `Änderungen an ${of.count === 1 ? 'dieser Datei' : 'diesen Dateien'} ${where} immer erlauben`;
      case 'tool':
        return `Jede Verwendung von ${of.toolName} ${where} immer erlauben`;
      default:
        return of satisfies never;
    }
  },
};

const FRENCH: Labels = {
  allow: 'Autoriser',
  deny: 'Refuser',
  deniedByPolicy: 'Cette session refuse tout ce qui demande une autorisation',
  agentsAlways: (label) => `${label} (retenu par l’agent lui-même)`,
  always(of, scope) {
    const where = scope === 'session' ? 'dans cette session' : 'dans ce dossier et ses sous-dossiers';
    switch (of.kind) {
      case 'command':
        return `Toujours autoriser exactement cette commande ${where}`;
      case 'input':
        return `Toujours autoriser exactement ceci ${where}`;
      case 'files':
        return `Toujours autoriser les modifications de ${of.count === 1 ? 'ce fichier' : 'ces fichiers'} ${where}`;
      case 'tool':
        return `Toujours autoriser toute utilisation de ${of.toolName} ${where}`;
      default:
        return of satisfies never;
    }
  },
};

const BY_LANGUAGE: Readonly<Record<string, Labels>> = { en: ENGLISH, de: GERMAN, fr: FRENCH };

/** The labels in a language (BCP 47 tag); in English if the language is not available [CHAT-19]. */
export function labelsFor(locale: string): Labels {
  const language = locale.split(/[-_]/, 1)[0]?.toLowerCase() ?? '';
  return (Object.hasOwn(BY_LANGUAGE, language) ? BY_LANGUAGE[language] : undefined) ?? ENGLISH;
}

/** The label of a coverage in an option. */
export function alwaysOf(shown: HostCoverage, call: { toolName: string; kind: string }): AlwaysOf {
  switch (shown.kind) {
    case 'files':
      return { kind: 'files', count: shown.files.length };
    case 'tool':
      return { kind: 'tool', toolName: call.toolName };
    case 'input':
      return { kind: call.kind === 'execute' ? 'command' : 'input' };
    default:
      return shown satisfies never;
  }
}
