import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { routes } from '../../../../shared/shopify/storefront-requests/serve-storefront.ts';

it('the description of the requests names every route, its method and its parameters', () => {
  const { paths } = parse(readFileSync('docs/storefront-api.yaml', 'utf8'));
  const described = Object.entries<Record<string, { parameters?: { name: string }[] }>>(paths);
  const found = described.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]) => [
      path.slice(1),
      method.toUpperCase(),
      parameters.map(({ name }) => name),
    ]),
  );
  const served = [...routes].map(([name, { method, parameters }]) => [name, method, parameters]);
  expect(found.toSorted()).toEqual(served.toSorted());
});
