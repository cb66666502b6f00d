import { describe, expect, it } from 'vitest';
import { runCommand } from '../../support/connector-command.ts';
import { useAccidents } from './accident.ts';
import { live, orderLives } from './order-lives.ts';

const world = useAccidents();
const lifeOf = (wanted: string) => orderLives(world).filter(({ title }) => title === wanted);

describe('an order counts what the store says', () => {
  it.each(['restored', 'lost'])(
    'a refund that settles after the accident, and after a later refund: 100 → 80 → 70 (%s)',
    async (accident) => {
      const { copy, goOn, ...said } = await live(
        world,
        lifeOf('a refund that settles after the accident, and after a later refund'),
      );
      await (accident === 'lost' ? world.loseLedger() : world.restoreLedger(copy));
      await goOn();
      expect((await world.run('recover --yes')).code).toBe(0);
      expect(said.counted()).toEqual(said.wanted);
    },
  );

  it('a line added since the restored moment, money back before recover: 100 → 115 → 95', async () => {
    const { copy, goOn, ...said } = await live(
      world,
      lifeOf('a line added, money back after the accident'),
    );
    await world.restoreLedger(copy);
    await goOn();
    expect((await world.run('recover --yes')).code).toBe(0);
    expect(said.counted()).toEqual(said.wanted);
  });

  it('refunded in full and exchanged, then lost: 100 → 60, and nobody is asked to correct it', async () => {
    const { goOn, ...said } = await live(world, lifeOf('refunded in full and exchanged'));
    const letters = await world.shop.deadLetters();
    await world.loseLedger();
    expect((await world.run('recover --yes')).code).toBe(0);
    await goOn();
    expect(said.counted()).toEqual(said.wanted);
    expect(await world.shop.deadLetters()).toBe(letters);
  });
});

describe('recover', () => {
  it('repeated after it has finished, leaves nothing unknown', async () => {
    const id = world.sell(world.shop.newShopper('of a repeated recovery'), [100]);
    await world.rest();
    world.refund(id, { amount: 10 });
    await world.loseLedger();
    expect((await world.run('recover --yes')).code).toBe(0);
    expect((await world.run(`compare order ${id}`)).stdout).toContain('IN SYNC');
    expect((await world.run('recover --yes')).stdout).toContain('everything was compared');
    expect((await world.run(`compare order ${id}`)).stdout).toContain('IN SYNC');
  });

  it('says that an operator paused the shop, instead of waiting without a word', async () => {
    expect((await world.run('pause --yes')).code).toBe(0);
    const preview = await world.run('recover');
    const { stdout, stderr } = await runCommand(['recover', '--yes'], {
      folder: world.folder,
      // It waits, and may say so at any time before it shows its progress for the second time.
      onOutput: (output, child) =>
        void (output.split('Shops compared').length > 2 && child.kill('SIGINT')),
    });
    expect((await world.run('resume')).code).toBe(0);
    expect.soft(preview.text).toMatch(/paused/);
    expect.soft(stdout + stderr).toMatch(/paused.*resume/s);
  });

  it('--from a table that cannot be read ends at once, before all calls are paused', async () => {
    const { code, text } = await world.run('recover --from no-such-table --yes');
    expect(code).not.toBe(0);
    expect.soft(text).not.toContain('All calls are paused');
    // It has that policy already.
    expect.soft(text).not.toContain('Use a profile that operates the connector');
  });
});
