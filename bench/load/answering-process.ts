import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** What such a process is asked, and what it says: its first word is that it is ready. */
interface Asked<Question> {
  readonly n: number;
  readonly question: Question;
}

type Said<Ready> =
  | { readonly kind: 'ready'; readonly ready: Ready }
  | { readonly kind: 'answer'; readonly n: number; readonly answer: unknown };

/** Asked of a process that ended meanwhile. */
export class HasEnded extends Error {}

/** A process of this run, which answers questions and can be killed. It ends when this one does. */
export class AnsweringProcess<Ready, Question> {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (said: { answer: unknown } | HasEnded) => void>();
  readonly #ended: Promise<unknown>;
  readonly #ready: Promise<Ready>;
  #asked = 0;
  #isAlive = true;

  constructor(file: string, task: unknown) {
    // In a group of its own: a Ctrl-C is for the one who runs the load, and that one ends the others.
    this.#child = fork(file, [JSON.stringify(task)], { detached: true, execArgv: [] });
    this.#ended = once(this.#child, 'exit').then(() => {
      this.#isAlive = false;
      for (const settle of this.#waiting.values()) settle(new HasEnded(file));
      this.#waiting.clear();
    });
    this.#ready = new Promise((resolve, reject) => {
      void this.#ended.then(() => reject(new HasEnded(`${file} ended before it was ready`)));
      this.#child.on('message', (said: Said<Ready>) => {
        if (said.kind === 'ready') resolve(said.ready);
        else this.#waiting.get(said.n)?.(said);
      });
    });
    // Whoever waits for it hears of it.
    this.#ready.catch(() => {});
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get ready(): Promise<Ready> {
    return this.#ready;
  }

  /** Throws `HasEnded` when there is nobody to answer. */
  ask<Answer>(question: Question): Promise<Answer> {
    const n = ++this.#asked;
    return new Promise((resolve, reject) => {
      if (!this.#isAlive) return reject(new HasEnded('asked too late'));
      this.#waiting.set(n, (said) => {
        this.#waiting.delete(n);
        if (said instanceof HasEnded) reject(said);
        else resolve(said.answer as Answer);
      });
      const asked: Asked<Question> = { n, question };
      this.#child.send(asked, (error) => {
        if (error) this.#waiting.get(n)?.(new HasEnded(error.message));
      });
    });
  }

  /** kill -9: it gets no time for anything. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** It ends by itself when nobody is connected any more. */
  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }
}

/** For the process itself: answers what it is asked, one question after another. */
export function answerQuestions<Question>(answer: (question: Question) => Promise<unknown>): void {
  process.on('message', ({ n, question }: Asked<Question>) => {
    void answer(question).then(
      (value) => process.send?.({ kind: 'answer', n, answer: value }),
      // Nothing that is asked here may fail: whoever asks would wait for ever.
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
