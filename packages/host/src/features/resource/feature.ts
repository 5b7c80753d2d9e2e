import { isUtf8 } from 'node:buffer';
import { contentNotFound, type EmptyResult, invalidParams } from '@agenthost/protocol';
import type { Commands } from '../../handler-port/commands.ts';
import type { Journal } from '../../journal/journal.ts';
import { contentIdOf } from '../../turns/contents/content-store.ts';
import { contentTypeOf } from '../../workspace/content-types.ts';
import type { Files } from '../../workspace/files/files.ts';
import type { Folders } from '../../workspace/folders.ts';
import { checkRange, encodeBytes, MAX_ANSWER_BYTES } from '../../workspace/resources.ts';
import type { Feature } from '../feature.ts';

/** The places of contents behind the host's content URIs. */
interface Contents {
  readonly journal: Journal;
  /** Reads a version of a file that a changeset has shown. */
  readBlob(id: string): Promise<Buffer | 'tooLarge' | undefined>;
  /** Resolves after the current iteration of the event loop. */
  nextTurn(): Promise<void>;
}

/** Contents of turns, and files and folders of the machine [RES-1] [RES-2]. */
export const resourceFeature = (contents: Contents, files: Files, folders: Folders): Feature => ({
  name: 'resource',
  commands: resourceCommands(contents, files, folders),
});

/** The `resource*` requests for `file:` URIs, and `resourceRead` for the host's content URIs [RES-1]. `resourceRequest` belongs to grants. */
function resourceCommands(
  { journal, readBlob, nextTurn }: Contents,
  files: Files,
  folders: Folders,
): Commands {
  const readContent = async (uri: string, id: string) => {
    const content = await journal.readContent(id);
    if (content !== undefined) {
      const { data, contentType } = content;
      return {
        bytes: Buffer.from(data.buffer, data.byteOffset, data.byteLength),
        contentType,
        isText: true,
      };
    }
    const bytes = await readBlob(id);
    if (bytes === undefined) throw contentNotFound(uri);
    if (bytes === 'tooLarge')
      throw invalidParams(
        `${JSON.stringify(uri)} has more than ${MAX_ANSWER_BYTES} bytes, the limit of one answer: look at it on the machine of the host`,
      );
    const isText = isUtf8(bytes) && !bytes.includes(0);
    return { bytes, contentType: contentTypeOf(uri, isText), isText };
  };
  return {
    resourceRead: async (params, caller) => {
      const { uri, 'x-range': range } = params;
      const id = contentIdOf(uri);
      if (id === undefined) return files.read(params, caller);
      const { bytes, contentType, isText } = await readContent(uri, id);
      if (range === undefined) {
        const encoding = isText ? params.encoding : 'base64';
        return { ...(await encodeBytes(bytes, encoding, nextTurn)), contentType };
      }
      checkRange(range);
      const part = bytes.subarray(range.start, range.start + range.length);
      return { ...(await encodeBytes(part, 'base64', nextTurn)), contentType, 'x-size': bytes.length };
    },
    resourceList: ({ uri }, caller) => folders.list(uri, caller),
    resourceResolve: (params, caller) => files.resolve(params, caller),
    resourceWrite: (params, caller) => files.write(params, caller),
    resourceMkdir: ({ uri }, caller) => done(folders.make(uri, caller)),
    resourceCopy: (params, caller) => done(files.copy(params, caller)),
    resourceMove: (params, caller) => done(files.move(params, caller)),
    resourceDelete: (params, caller) => done(files.remove(params, caller)),
  };
}

const done = async (work: Promise<void>): Promise<EmptyResult> => {
  await work;
  return {};
};
