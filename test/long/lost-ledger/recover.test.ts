import { describe, expect, it } from 'vitest';
import { useAccidents } from './accident.ts';

const world = useAccidents();

describe('recover', () => {
  it('repeated after it has finished, leaves nothing unknown', async () => {
    const id = world.sell(world.shop.newShopper('of a repeated recovery'), 100);
    await world.rest();
    world.refund(id, 10);
    await world.loseLedger();
    const traced = await world.run(`trace order ${id}`);
    expect(traced.stdout).not.toMatch(/^OK/m);
    expect(traced.code).not.toBe(0);
    expect((await world.run('recover --yes')).code).toBe(0);
    expect((await world.run(`trace order ${id}`)).stdout).toMatch(/^OK/m);
    expect(world.heldOrder(id)?.points).toBe(90);
    expect((await world.run('recover --yes')).stdout).toContain('everything was compared');
    expect((await world.run(`trace order ${id}`)).stdout).toMatch(/^OK/m);
  });

  it('says that an operator paused the shop, and ends the pause', async () => {
    const id = world.sell(world.shop.newShopper('of a paused shop'), 100);
    await world.rest();
    world.refund(id, 10);
    await world.rest();
    await world.loseLedger();
    expect((await world.run('pause --yes')).code).toBe(0);
    expect((await world.run('recover')).text).toMatch(/paused: this ends the pause/);
    expect((await world.run('recover --yes')).text).toContain('everything was compared');
    expect(world.heldOrder(id)?.points).toBe(90);
    expect((await world.run('resume')).text).toContain('not paused');
  });

  it('does not claim to have compared everything while customers cannot be listed', async () => {
    const { faults } = world.stack.loyalty;
    faults.add({ kind: 'business-error', code: 1, operation: 'listCustomersReport' });
    const { code, text } = await world.run('recover --yes');
    faults.clear();
    expect(text).toContain('not all customers could be listed');
    expect(text).toContain('Not everything was compared');
    expect(text).not.toContain('everything was compared, and');
    expect(code).toBe(1);
  });

  it('--from a table that cannot be read ends at once, before all calls are paused', async () => {
    const { code, text } = await world.run('recover --from no-such-table --yes');
    expect(code).not.toBe(0);
    expect.soft(text).not.toContain('All calls are paused');
    // It has that policy already.
    expect.soft(text).not.toContain('Use a profile that operates the connector');
  });
});
