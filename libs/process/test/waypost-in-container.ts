/** operator.test.ts runs this program, as the image of a service runs `waypost`. */
import { runInContainer } from '../src/index.ts';
import { greetings } from './greet.ts';

process.exitCode = await runInContainer(greetings);
