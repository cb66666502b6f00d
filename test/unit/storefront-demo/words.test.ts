import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { date, say, speak } from '../../../local/storefront-demo/pages/words.ts';

const FOLDERS = ['local/storefront-demo', 'local/storefront-demo/pages', 'local/extension-host'];

/** Every text that the pages of the shop say, as it is written in their sources. */
const TEXTS = FOLDERS.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const source = readFileSync(join(folder, name), 'utf8');
      return [...source.matchAll(/\b(?:say\(|showNotice\(.*, |message: )\s*'([^']+)'/g)];
    })
    .map(([, text = '']) => text),
);

afterEach(() => speak('en'));

describe('the texts of the demo shop', () => {
  it.each([...new Set(TEXTS)].filter((text) => text !== 'Subtotal'))(
    '"%s" is said in all three languages',
    (text) => {
      const said = (['pt-BR', 'es'] as const).map((language) => {
        speak(language);
        return say(text);
      });
      expect(said.filter((one) => one !== text)).not.toEqual([]);
    },
  );

  it('numbers and dates are those of the language', () => {
    const notes = (['en', 'pt-BR', 'es'] as const).map((language) => {
      speak(language);
      return `${say('You now have {} points.', 12345.5)} ${date('2026-11-19T10:00:00Z')}`;
    });
    expect(notes).toEqual([
      'You now have 12,345.5 points. Nov 19, 2026',
      'Você tem agora 12.345,5 pontos. 19 de nov. de 2026',
      'Ahora tienes 12.345,5 puntos. 19 nov 2026',
    ]);
  });
});
