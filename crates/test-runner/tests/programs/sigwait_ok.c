#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
sigset_t s;int got;void*w(void*a){int g;sigwait(&s,&g);got=g;return 0;}
int main(){sigemptyset(&s);sigaddset(&s,SIGUSR1);pthread_sigmask(SIG_BLOCK,&s,0);pthread_t t;pthread_create(&t,0,w,0);pthread_kill(t,SIGUSR1);pthread_join(t,0);return got!=SIGUSR1;}
