// Rules for every tracked file.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './source-graph.ts';

const MAX_LINES = 500;
const textFile = /(?:^|\/)\.npmrc$|\.(?:ts|tsx|js|json|md|ya?ml|sh|css|html)$|^\.ci\/|^[A-Z]+$/;
/** This file contains the patterns that it searches for. */
const self = 'test/repository.test.ts';
const generated = /(?:^|\/)(?:generated|schema)\//;

/** Tracked files, and new ones that are not ignored. */
function trackedFiles(): { path: string; text: string }[] {
  return execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\0')
    .filter((path) => path !== self && textFile.test(path) && existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

const files = trackedFiles();
const sources = files.filter(({ path }) => /\.(?:ts|tsx|js)$/.test(path) && !generated.test(path));

/** `path:line` of every match. */
function matches(where: readonly { path: string; text: string }[], pattern: RegExp): string[] {
  return where.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  );
}

test('there are files to look at', () => {
  expect(sources.length).toBeGreaterThan(20);
});

test(`no source file is longer than ${MAX_LINES} lines`, () => {
  const long = sources
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES);
  expect(long).toEqual([]);
});

test('no file and no folder has a catch-all name', () => {
  const vague = /(?:^|[/.-])(?:utils?|helpers?|common|managers?)(?=[/.-])/i;
  expect(files.map(({ path }) => path).filter((path) => vague.test(path))).toEqual([]);
});

test('no test is marked to run alone, and none is switched off without a condition', () => {
  const marker = /\b(?:test|it|describe)\.(?:only|skip|todo)\b(?!If)\(/;
  expect(
    matches(
      sources.filter(({ path }) => path.endsWith('.test.ts')),
      marker,
    ),
  ).toEqual([]);
});

test('no comment contains a TODO', () => {
  expect(matches(sources, /(?:\/\/|\/?\*).*\b(?:TODO|FIXME|XXX|HACK)\b/)).toEqual([]);
});

test('no checker is silenced for a whole file or without a reason', () => {
  const silenced = /(?:ox|es)lint-disable(?!.* -- \S)|@ts-(?:nocheck|ignore)|biome-ignore-all/;
  // Files that a package's scripts generate begin with such a line.
  const written = sources.filter(({ path }) => !/^packages\/[^/]+\/scripts\//.test(path));
  expect(matches(written, silenced)).toEqual([]);
});

test('no file contains a path of the machine that it was written on', () => {
  expect(matches(files, /(?<![\w.])\/work\//)).toEqual([]);
});

test('no file names a package registry, so that everyone installs from their own', () => {
  expect(matches(files, /"resolved": "https?:|registry\.npmjs|npmmirror|artifactory|verdaccio/)).toEqual([]);
  expect(files.map(({ path }) => path).filter((path) => path.endsWith('.npmrc'))).toEqual([]);
});

test('the lockfile has the optional packages of every platform, so that `npm ci` works on each', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const missing = Object.values<{ optionalDependencies?: object }>(packages)
    .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    .filter((name) => !(`node_modules/${name}` in packages));
  expect(missing, '`npm run lockfile` adds them').toEqual([]);
});

test('dependencies are pinned to one version each', () => {
  const loose = files
    .filter(({ path }) => /(?:^|\/)package\.json$/.test(path))
    .flatMap(({ path, text }) => {
      const { dependencies = {}, devDependencies = {} } = JSON.parse(text);
      return Object.entries<string>({ ...dependencies, ...devDependencies })
        .filter(([, version]) => !/^\d/.test(version))
        .map(([name, version]) => `${path}: ${name} ${version}`);
    });
  expect(loose).toEqual([]);
});
