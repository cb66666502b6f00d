import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

interface Asked<Question> {
  readonly n: number;
  readonly question: Question;
}

type Said<Ready> =
  | { readonly kind: 'ready'; readonly ready: Ready }
  | { readonly kind: 'answer'; readonly n: number; readonly answer: unknown };

/** The process ended before it answered. */
export class HasEnded extends Error {}

/** A child process that answers questions and can be killed. It ends with its parent. */
export class AnsweringProcess<Ready, Question> {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (said: { answer: unknown } | HasEnded) => void>();
  readonly #ended: Promise<unknown>;
  readonly #ready: Promise<Ready>;
  #asked = 0;
  #isAlive = true;

  constructor(file: string, task: unknown) {
    // In its own process group, so that Ctrl-C reaches only the parent, which stops the others.
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
    // Callers that await it still get the error.
    this.#ready.catch(() => {});
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get ready(): Promise<Ready> {
    return this.#ready;
  }

  /** Rejects with `HasEnded` if the process has ended. */
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

  /** kill -9, without time to clean up. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** The process ends when its channel is closed. */
  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }
}

/** Used in the child process, which from then on ends with its parent. */
export function reportReady(ready: unknown): void {
  process.on('disconnect', () => process.exit());
  if (!process.connected) process.exit();
  process.send?.({ kind: 'ready', ready });
}

/** Used in the child process: answers its questions. */
export function answerQuestions<Question>(answer: (question: Question) => Promise<unknown>): void {
  process.on('message', ({ n, question }: Asked<Question>) => {
    void answer(question).then(
      (value) => process.send?.({ kind: 'answer', n, answer: value }),
      // A failed answer ends the process, because the parent would wait forever.
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
