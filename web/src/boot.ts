import { startEarly } from './sim/early';

startEarly();
