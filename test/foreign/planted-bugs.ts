import type { PlantedBug } from '../simulation/mutations/mutation.ts';

/** For each engine that runs our suites, a bug of the product that it must find. */
export const plantedBugs = {
  dynamodb: {
    bug: 'a write ignores the revision that was read',
    find: '          ...conditionOn(readRevision),\n',
    replace: '',
  },
  sqs: {
    bug: 'all entities of a kind are one group',
    find: 'return ALLOWED_ID.test(readable) ? readable :',
    replace: 'return ALLOWED_ID.test(readable) ? kind :',
  },
  aws: {
    bug: 'a secret is read under another name',
    find: 'getSecretValue({ SecretId: name })',
    replace: 'getSecretValue({ SecretId: name.toUpperCase() })',
  },
  iam: {
    bug: 'a condition of a policy always holds',
    find: '    conditionsHold(statement.conditions, context)',
    replace: '    conditionsHold({}, context)',
  },
  shopify: {
    bug: 'every signature of a webhook is right',
    find: "isSameText(sign(previous), signature)) return 'previous';\n  return 'invalid';",
    replace: "isSameText(sign(previous), signature)) return 'previous';\n  return 'current';",
  },
} satisfies Readonly<Record<string, PlantedBug>>;
