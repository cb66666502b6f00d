import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { createProgram } from '../../../scripts/connector/create-program.ts';
import { judgeScopes } from '../../../scripts/connector/doctor/check-services.ts';
import { appConfiguration } from '../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { topicRoutes } from '../../../shared/shopify/webhooks/topics.ts';

const guide = readFileSync('docs/deploy.md', 'utf8');
const ADDRESS = 'https://hooks.example.com/example-store';

describe('docs/deploy.md', () => {
  it.each(['admin-api', 'app-configuration'] as const)(
    'shows the webhooks of shopify.app.toml as the connector wants them: %s',
    (madeBy) => {
      expect(guide).toContain(`\`\`\`toml\n${appConfiguration(ADDRESS, madeBy)}\`\`\``);
    },
  );

  it('names every topic that is handled', () => {
    for (const topic of topicRoutes.keys()) expect(guide).toContain(`"${topic}"`);
  });

  it('names every scope that doctor asks for, and no other', () => {
    const enrich = { locationNames: true, staffNames: true };
    const asked = judgeScopes([], { enrich }, true).flatMap(
      (finding) => /scope (\w+)/.exec(JSON.stringify(finding))?.[1] ?? [],
    );
    const named = [...guide.matchAll(/^ +\| `((?:read|write)_\w+)` \|/gm)].map(
      ([, scope]) => scope,
    );
    expect(named.toSorted()).toEqual(asked.toSorted());
  });

  it('runs only npm scripts and commands that exist', () => {
    const scripts = [...guide.matchAll(/npm run (?:--silent )?([\w-]+)/g)].map(([, name]) => name);
    for (const name of scripts) expect(manifest.scripts).toHaveProperty([name ?? '']);
    const commands = createProgram().commands.map((command) => command.name());
    for (const [, name] of guide.matchAll(/npx loyalty-connector ([\w-]+)/g)) {
      expect(commands).toContain(name);
    }
  });
});
