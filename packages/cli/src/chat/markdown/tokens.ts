import { lexer, type MarkedToken, type Token } from 'marked';

/** Every kind of token there is without extensions, which are not used. */
const isKnown = (token: Token): token is MarkedToken => token.type !== '';

/** Tokens whose kind tells their fields. */
export const known = (tokens: readonly Token[] | undefined): MarkedToken[] => (tokens ?? []).filter(isKnown);

/** The blocks of a Markdown text. Never throws; what makes no sense is a paragraph. */
export const tokensOf = (source: string): MarkedToken[] => known(lexer(source, { gfm: true }));
