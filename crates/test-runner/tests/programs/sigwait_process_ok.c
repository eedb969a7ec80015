#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
sigset_t s;int x;void*w(void*a){int g;sigwait(&s,&g);return (void*)(long)x;}
int main(){sigemptyset(&s);sigaddset(&s,SIGTERM);pthread_sigmask(SIG_BLOCK,&s,0);pthread_t t;void*r;pthread_create(&t,0,w,0);x=5;kill(getpid(),SIGTERM);pthread_join(t,&r);return r!=(void*)5;}
