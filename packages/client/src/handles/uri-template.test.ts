import { expect, test } from 'vitest';
import { expandTemplate, variablesOf } from './uri-template.ts';

// Values and results of RFC 6570, sections 1.2 and 3.2.
const values = {
  var: 'value',
  hello: 'Hello World!',
  half: '50%',
  empty: '',
  path: '/foo/bar',
  x: '1024',
  y: '768',
  base: 'http://example.com/home/',
};

test.each([
  ['{var}', 'value'],
  ['{hello}', 'Hello%20World%21'],
  ['{half}', '50%25'],
  ['O{empty}X', 'OX'],
  ['O{undef}X', 'OX'],
  ['{x,y}', '1024,768'],
  ['{x,hello,y}', '1024,Hello%20World%21,768'],
  ['?{x,empty}', '?1024,'],
  ['?{x,undef}', '?1024'],
  ['{var:3}', 'val'],
  ['{var:30}', 'value'],
  ['{+hello}', 'Hello%20World!'],
  ['{+half}', '50%25'],
  ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
  ['{+base}index', 'http://example.com/home/index'],
  ['here?ref={+path}', 'here?ref=/foo/bar'],
  ['{+path:6}/here', '/foo/b/here'],
  ['{#path,x}/here', '#/foo/bar,1024/here'],
  ['X{.var,x}', 'X.value.1024'],
  ['{/var,x}/here', '/value/1024/here'],
  ['{;x,y,empty}', ';x=1024;y=768;empty'],
  ['{?x,y,empty}', '?x=1024&y=768&empty='],
  ['{?undef}', ''],
  ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
  ['ahp-changeset:/turn/ahp-session%3A%2Fone/{x}', 'ahp-changeset:/turn/ahp-session%3A%2Fone/1024'],
])('[CS-1] a template is expanded as RFC 6570 says: %s', (template, expected) => {
  expect(expandTemplate(template, values)).toBe(expected);
});

test('[CS-1] a template with a lone brace, and one that names a member of every object, is expanded', () => {
  expect(expandTemplate('a{b', values)).toBe('a%7Bb');
  expect(expandTemplate('{constructor}{toString}', values)).toBe('');
});

test('[CS-1] the variables of a template are known', () => {
  expect(variablesOf('a/{x}/{?y:3,z*}')).toEqual(['x', 'y', 'z']);
});
