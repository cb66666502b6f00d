import { describe, expect, it } from 'vitest';
import { Kernel } from '../../simulation/kernel/kernel.ts';
import { SimulatedProcess } from '../../simulation/kernel/simulated-process.ts';
import { VirtualTime } from '../../simulation/kernel/virtual-time.ts';
import { createChance, nameOf } from '../../simulation/kernel/weather.ts';

describe('virtual time', () => {
  it('runs everything in the order of its moments, and of its planning within one', async () => {
    const time = new VirtualTime(0);
    const ran: string[] = [];
    for (const [moment, name] of [
      [30, 'c'],
      [10, 'a'],
      [30, 'd'],
      [20, 'b'],
    ] as const) {
      time.at(moment, () => ran.push(`${name}@${time.now}`));
    }
    time.at(40, () => ran.push('never'))();
    await time.passUntil(35);
    expect(ran).toEqual(['a@10', 'b@20', 'c@30', 'd@30']);
    expect(time.now).toBe(35);
  });

  it('lets everything that a task set free come to its next wait before the next task', async () => {
    const time = new VirtualTime(0);
    const ran: number[] = [];
    const chain = async (): Promise<void> => {
      for (let i = 0; i < 50; i += 1) await undefined;
      ran.push(time.now);
    };
    time.at(1, () => void chain());
    time.at(2, () => ran.push(time.now));
    await time.passUntil(10);
    expect(ran).toEqual([1, 2]);
  });
});

describe('chance', () => {
  it('gives one number for one seed and name, whatever was drawn before', () => {
    const [one, other] = [createChance(7), createChance(7)];
    other(1, 2, 3);
    expect(other(nameOf('order'), 5)).toBe(one(nameOf('order'), 5));
    expect(createChance(8)(nameOf('order'), 5)).not.toBe(one(nameOf('order'), 5));
  });

  it('spreads its numbers evenly', () => {
    const chance = createChance(3);
    const draws = Array.from({ length: 10_000 }, (_, index) => chance(index));
    for (let tenth = 0; tenth < 10; tenth += 1) {
      const count = draws.filter((drawn) => Math.floor(drawn * 10) === tenth).length;
      expect(count).toBeGreaterThan(850);
      expect(count).toBeLessThan(1_150);
    }
  });
});

describe('a simulated process', () => {
  const open = () => {
    const kernel = new Kernel({ seed: 1, only: new Set() });
    return { kernel, process: new SimulatedProcess(kernel, 'worker') };
  };
  const call = (process: SimulatedProcess, heard: string[]) =>
    process.call('ledger', 'asks', async () => 'answer').then((answer) => heard.push(answer));

  it('hears nothing any more once it is dead, though its call took effect', async () => {
    const { kernel, process } = open();
    const heard: string[] = [];
    let effects = 0;
    void process
      .call('ledger', 'writes', async () => {
        effects += 1;
      })
      .then(() => heard.push('answer'));
    process.die();
    await kernel.time.passUntil(kernel.time.now + 1_000);
    expect([effects, heard]).toEqual([1, []]);
  });

  it('hears what came while it was frozen when it goes on', async () => {
    const { kernel, process } = open();
    const heard: string[] = [];
    void call(process, heard);
    process.freeze();
    await kernel.time.passUntil(kernel.time.now + 1_000);
    expect(heard).toEqual([]);
    process.thaw(() => {});
    await kernel.time.passUntil(kernel.time.now + 1);
    expect(heard).toEqual(['answer']);
  });
});
