import { tellGoldenStory } from './golden-story.ts';
import { PINNED_STACKS, pinnedResources } from './pinned-stacks.ts';
import { synthesizeStack } from './synthesized-stack.ts';

/** By the name of the file. */
export async function goldenFiles() {
  const { messages, items } = await tellGoldenStory();
  const stacks = Object.entries(PINNED_STACKS).map(([name, settings]) => {
    const { Resources, Outputs } = synthesizeStack(settings).toJSON();
    return [name, { resources: pinnedResources(Resources), outputs: Object.keys(Outputs) }];
  });
  return {
    messages,
    'ledger-items': items,
    'logical-ids': { stacks: Object.fromEntries(stacks) },
  };
}
