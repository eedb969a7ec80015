#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER;int n;void h(int s){pthread_mutex_lock(&m);n++;pthread_mutex_unlock(&m);} void*w(void*a){for(int i=0;i<3;i++){pthread_mutex_lock(&m);n++;pthread_mutex_unlock(&m);}return 0;}
int main(){signal(SIGUSR1,h);pthread_t t;pthread_create(&t,0,w,0);pthread_kill(t,SIGUSR1);pthread_join(t,0);return 0;}
