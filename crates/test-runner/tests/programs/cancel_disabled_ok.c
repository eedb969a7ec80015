#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
int done;void*w(void*a){int o;pthread_setcancelstate(PTHREAD_CANCEL_DISABLE,&o);usleep(1000);done=1;pthread_setcancelstate(o,&o);pthread_testcancel();return 0;}
int main(){pthread_t t;void*r;pthread_create(&t,0,w,0);pthread_cancel(t);pthread_join(t,&r);return (done||r==PTHREAD_CANCELED)?0:1;}
