/** `waypost` as in the image of a service, for operator.test.ts. */
import { runInContainer } from '../src/index.ts';
import { greetings } from './greet.ts';

process.exitCode = await runInContainer(greetings);
