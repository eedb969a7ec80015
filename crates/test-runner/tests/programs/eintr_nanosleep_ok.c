#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
void h(int s){} int done;void*w(void*a){struct timespec t={10,0};while(nanosleep(&t,&t)<0&&errno==EINTR){}done=1;return 0;}
int main(){struct sigaction a={0};a.sa_handler=h;sigaction(SIGUSR1,&a,0);pthread_t t;pthread_create(&t,0,w,0);pthread_kill(t,SIGUSR1);pthread_join(t,0);return !done;}
